// kernel: row_sum
// expect: 21
// through: trial
// The last wavefront adds up what the others wrote, without waiting for them.
extern "C" __global__ void candidate(const float* in, float* out, int columns) {
  __shared__ volatile float partial[256];
  float sum = 0;
  for (int c = threadIdx.x; c < columns; c += 256) sum += in[blockIdx.x * columns + c];
  partial[threadIdx.x] = sum;
  if (threadIdx.x < 192) return;
  const int lane = threadIdx.x - 192;
  float all = 0;
  for (int i = lane; i < 256; i += 64) all += partial[i];
  for (int half = 32; half > 0; half /= 2) all += __shfl_down(all, half);
  if (lane == 0) out[blockIdx.x] = all;
}
