// kernel: compare_exchange
// expect: accepted
// spec: {"launch_change": {"passes": {"argument": 2, "advance": 0, "step": 1, "most": 32, "ops": [[4, 0, 0, 0, 32, false], [5, 0, 0, 0, 32, false], [9, 0, 1, 0, 32, false], [3, 0, 0, 0, 32, false], [7, 2, 3, 0, 32, false], [2, 0, 0, 1, 32, false], [2, 0, 0, 2, 32, false], [8, 5, 6, 0, 32, false], [1, 0, 0, 1, 32, false], [12, 8, 7, 0, 32, false], [10, 4, 9, 0, 32, false], [9, 10, 9, 0, 32, false], [1, 0, 0, 2, 32, false], [9, 11, 12, 0, 32, false], [11, 4, 9, 0, 32, false], [7, 13, 14, 0, 32, false], [7, 15, 9, 0, 32, false]], "accesses": [[15, 0], [16, 0]]}}}
// All passes of a stage that a workgroup can do alone, in one launch.
extern "C" __global__ void candidate(unsigned* data, unsigned stage, unsigned step) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x, passes = step >> 16;
  for (unsigned pass = 0; pass < passes; ++pass) {
    const unsigned distance = 1u << (stage - ((step & 0xffff) + pass));
    const unsigned left = (t / distance) * distance * 2 + t % distance, right = left + distance;
    const unsigned a = data[left], b = data[right];
    if ((a > b) == (((t >> stage) & 1) == 0)) {
      data[left] = b;
      data[right] = a;
    }
    __syncthreads();
  }
}
