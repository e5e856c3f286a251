// kernel: row_sum
// expect: 15
extern "C" __global__ void candidate(const float*, float* out, int) {
  if (threadIdx.x == 0) out[blockIdx.x] = 1000.0f;
}
