// kernel: compare_exchange
// expect: rejected
// Does the next step's work as well, so that the next launch could be empty.
extern "C" __global__ void candidate(unsigned* data, unsigned stage, unsigned step) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned s = step; s <= step + 1 && s <= stage; ++s) {
    const unsigned distance = 1u << (stage - s);
    const unsigned left = (t / distance) * distance * 2 + t % distance, right = left + distance;
    const unsigned a = data[left], b = data[right];
    if ((a > b) == (((t >> stage) & 1) == 0)) {
      data[left] = b;
      data[right] = a;
    }
  }
}
