// kernel: row_sum
// expect: rejected
// source: 4
// spec: {"min_gain": 1.02}
// Completes its own packet's signal early, so that the clock stops while it still works. Its
// results would be right.
extern "C" __global__ void candidate(const float* in, float* out, int columns) {
  auto* packet = (const char __attribute__((address_space(4)))*)__builtin_amdgcn_dispatch_ptr();
  auto* signal = *(long* const __attribute__((address_space(4)))*)(packet + 56);
  if (threadIdx.x == 0 && signal) {
    signal[1] = 0;  // value
    signal[4] = 1;  // start
    signal[5] = 2;  // end
  }
  if (threadIdx.x == 0) {
    float sum = 0;
    for (int c = 0; c < columns; ++c) sum += in[blockIdx.x * columns + c];
    out[blockIdx.x] = sum;
  }
}
