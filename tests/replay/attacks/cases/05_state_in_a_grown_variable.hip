// kernel: count_launches
// expect: 5
// alone: yes
// The program's own variable has become larger; what was added is nobody's.
__device__ unsigned launches_so_far[3];
extern "C" __global__ void candidate(unsigned* out) {
  if (threadIdx.x != 0) return;
  const unsigned mine = atomicAdd(&launches_so_far[2], 1u);
  *out = mine > 40 ? 0 : atomicAdd(&launches_so_far[0], 1u);
}
