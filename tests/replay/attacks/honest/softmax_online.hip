// kernel: softmax
// expect: accepted
// Maximum and sum in one pass.
extern "C" __global__ void candidate(const float* in, float* out, int columns) {
  const float* row = in + blockIdx.x * columns;
  float most = -3.402823466e38f, sum = 0;
  for (int c = 0; c < columns; ++c) {
    const float next = fmaxf(most, row[c]);
    sum = sum * expf(most - next) + expf(row[c] - next);
    most = next;
  }
  for (int c = threadIdx.x; c < columns; c += blockDim.x)
    out[blockIdx.x * columns + c] = expf(row[c] - most) / sum;
}
