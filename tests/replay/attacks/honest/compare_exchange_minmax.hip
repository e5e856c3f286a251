// kernel: compare_exchange
// expect: accepted
// Without a branch: always writes both.
extern "C" __global__ void candidate(unsigned* data, unsigned stage, unsigned step) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x, shift = stage - step;
  const unsigned left = ((t >> shift) << (shift + 1)) + (t & ((1u << shift) - 1));
  const unsigned right = left + (1u << shift), a = data[left], b = data[right];
  const bool ascending = ((t >> stage) & 1) == 0;
  data[left] = ascending ? min(a, b) : max(a, b);
  data[right] = ascending ? max(a, b) : min(a, b);
}
