// kernel: row_sum
// expect: rejected
// source: 28
// spec: {"min_gain": 1.02}
// Writes time stamps of its own into its signal, again and again.
extern "C" __global__ void candidate(const float* in, float* out, int columns) {
  auto* packet = (const char __attribute__((address_space(4)))*)__builtin_amdgcn_dispatch_ptr();
  auto* signal = *(volatile long* const __attribute__((address_space(4)))*)(packet + 56);
  float sum = 0;
  for (int c = 0; c < columns; ++c) {
    sum += in[blockIdx.x * columns + c];
    if (signal) signal[4] = 1, signal[5] = 2;
  }
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
