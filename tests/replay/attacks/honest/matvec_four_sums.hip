// kernel: matvec
// expect: accepted
// Four partial sums.
extern "C" __global__ void candidate(const float* matrix, const float* x, float* out, int rows,
                                     int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sums[4] = {0, 0, 0, 0};
  int c = 0;
  for (; c + 4 <= columns; c += 4)
    for (int k = 0; k < 4; ++k) sums[k] += matrix[row * columns + c + k] * x[c + k];
  for (; c < columns; ++c) sums[0] += matrix[row * columns + c] * x[c];
  out[row] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
}
