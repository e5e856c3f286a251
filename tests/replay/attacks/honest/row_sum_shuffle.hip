// kernel: row_sum
// expect: accepted
// Within wavefronts by lane exchange, then across them.
extern "C" __global__ void candidate(const float* in, float* out, int columns) {
  __shared__ float partial[4];
  float sum = 0;
  for (int c = threadIdx.x; c < columns; c += 256) sum += in[blockIdx.x * columns + c];
  for (int half = 32; half > 0; half /= 2) sum += __shfl_down(sum, half);
  if (threadIdx.x % 64 == 0) partial[threadIdx.x / 64] = sum;
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = (partial[0] + partial[1]) + (partial[2] + partial[3]);
}
