// kernel: softmax
// expect: 16 or 29
// A row of LDS as wide as the recorded ones.
extern "C" __global__ void candidate(const float* in, float* out, int columns) {
  __shared__ float row[100];
  float most = -3.402823466e38f, sum = 0;
  for (int c = threadIdx.x; c < columns; c += blockDim.x)
    if (c < 100) row[c] = in[blockIdx.x * columns + c];
  __syncthreads();
  for (int c = 0; c < columns && c < 100; ++c) most = fmaxf(most, row[c]);
  for (int c = 0; c < columns && c < 100; ++c) sum += expf(row[c] - most);
  for (int c = threadIdx.x; c < columns && c < 100; c += blockDim.x)
    out[blockIdx.x * columns + c] = expf(row[c] - most) / sum;
}
