// Code objects of version 5: each hidden argument that tells of the launch, read where the ABI puts
// it (AMDGPUUsage, "Code Object V5 Metadata").
#include <cstdint>
#include <vector>

#include "check.h"

constexpr unsigned kBlockCount = 0, kGroupSize = 12, kRemainder = 18, kGlobalOffset = 40, kGridDims = 64,
                   kDynamicLds = 120;

struct Seen {
  std::uint32_t blocks[3];
  std::uint16_t group[3], remainder[3];
  std::uint64_t offset[3];
  std::uint16_t dimensions;
  std::uint32_t dynamic_lds;
};

template <typename T>
__device__ T implicit(unsigned at) {
#ifdef __HIP_DEVICE_COMPILE__
  const auto base = reinterpret_cast<std::uintptr_t>(
      (const void*)__builtin_amdgcn_implicitarg_ptr());
  return *reinterpret_cast<const T*>(base + at);
#else
  return T(at);  // the host's pass compiles it, too, and has no such pointer
#endif
}

// LDS of its own beside the dynamic one: only the latter is to be told.
__global__ void look(Seen* seen, int n) {
  extern __shared__ int dynamic[];
  __shared__ int fixed[64];
  const int lane = threadIdx.x % 64;
  fixed[lane] = n + lane;
  dynamic[lane] = lane;
  __syncthreads();
  if (blockIdx.x || blockIdx.y || blockIdx.z || threadIdx.x || threadIdx.y || threadIdx.z) return;
  for (int axis = 0; axis < 3; ++axis) {
    seen->blocks[axis] = implicit<std::uint32_t>(kBlockCount + 4 * axis);
    seen->group[axis] = implicit<std::uint16_t>(kGroupSize + 2 * axis);
    seen->remainder[axis] = implicit<std::uint16_t>(kRemainder + 2 * axis);
    seen->offset[axis] = implicit<std::uint64_t>(kGlobalOffset + 8 * axis);
  }
  seen->dimensions = implicit<std::uint16_t>(kGridDims);
  seen->dynamic_lds = implicit<std::uint32_t>(kDynamicLds) + (fixed[5] + dynamic[5] - n - 10);
}

__global__ void with_heap(int** out) {
  int* mine = static_cast<int*>(malloc(8 * sizeof(int)));
  for (int i = 0; mine && i < 8; ++i) mine[i] = threadIdx.x * 8 + i;
  out[threadIdx.x] = mine;
}

__global__ void give_back(int** in, int* sums) {
  int sum = 0;
  for (int i = 0; in[threadIdx.x] && i < 8; ++i) sum += in[threadIdx.x][i];
  sums[threadIdx.x] = sum;
  free(in[threadIdx.x]);
}

void check_launch(dim3 grid, dim3 block, unsigned dynamic_lds) {
  Seen* seen;
  HIP_CHECK(hipMalloc(&seen, sizeof(Seen)));
  HIP_CHECK(hipMemset(seen, 0xff, sizeof(Seen)));
  look<<<grid, block, dynamic_lds>>>(seen, 3);
  Seen out;
  HIP_CHECK(hipMemcpy(&out, seen, sizeof out, hipMemcpyDeviceToHost));
  const unsigned blocks[3] = {grid.x, grid.y, grid.z}, group[3] = {block.x, block.y, block.z};
  for (int axis = 0; axis < 3; ++axis) {
    EXPECT(out.blocks[axis] == blocks[axis]);
    EXPECT(out.group[axis] == group[axis]);
    EXPECT(out.remainder[axis] == 0);
    EXPECT(out.offset[axis] == 0);
  }
  EXPECT(out.dimensions == 3);  // HIP's launches always have three
  EXPECT(out.dynamic_lds == dynamic_lds);
  HIP_CHECK(hipFree(seen));
}

int main() {
  check_launch(dim3(4), dim3(256), 256);
  check_launch(dim3(3, 2, 5), dim3(16, 4, 2), 4096);
  check_launch(dim3(1, 7), dim3(64, 3), 1024);

  int** pointers;
  int* sums;
  HIP_CHECK(hipMalloc(&pointers, 64 * sizeof(int*)));
  HIP_CHECK(hipMalloc(&sums, 64 * sizeof(int)));
  with_heap<<<1, 64>>>(pointers);
  give_back<<<1, 64>>>(pointers, sums);
  std::vector<int> out(64);
  HIP_CHECK(hipMemcpy(out.data(), sums, 64 * sizeof(int), hipMemcpyDeviceToHost));
  for (int i = 0; i < 64; ++i) EXPECT(out[i] == 64 * i + 28);
}
