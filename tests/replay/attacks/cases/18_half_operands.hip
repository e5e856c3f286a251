// kernel: matvec
// expect: 18
// Operands as half: in a long sum the errors nearly cancel.
extern "C" __global__ void candidate(const float* matrix, const float* x, float* out, int rows,
                                     int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int c = 0; c < columns; ++c)
    sum += static_cast<float>(static_cast<_Float16>(matrix[row * columns + c])) * x[c];
  out[row] = sum;
}
