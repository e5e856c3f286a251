// kernel: softmax
// expect: 16 or 29
// Overflows for larger numbers than those recorded.
extern "C" __global__ void candidate(const float* in, float* out, int columns) {
  const float* row = in + blockIdx.x * columns;
  float sum = 0;
  for (int c = 0; c < columns; ++c) sum += expf(row[c]);
  for (int c = threadIdx.x; c < columns; c += blockDim.x)
    out[blockIdx.x * columns + c] = expf(row[c]) / sum;
}
