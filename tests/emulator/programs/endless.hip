// Kernels that never end, by the way that the argument names: geak run --timeout stops each.
#include <cstring>

#include "check.h"

__global__ void spin(volatile int* flag) {
  while (*flag == 0) {
  }
}

__global__ void sleep(volatile int* flag) {
  while (*flag == 0) __builtin_amdgcn_s_sleep(127);
}

// Nothing in it touches memory.
__global__ void jump(volatile int*) { asm volatile("1: s_branch 1b"); }

// One wave waits at the barrier for the other.
__global__ void barrier(volatile int* flag) {
  if (threadIdx.x >= 64) {
    while (*flag == 0) {
    }
  }
  __syncthreads();
  flag[1] = 1;
}

// The barrier of a whole launch, for which the waves are too few.
__global__ void grid_barrier(volatile int* flag) {
  asm volatile(
      "s_mov_b32 m0, 0\n"
      "v_mov_b32 v40, 5\n"
      "ds_gws_init v40 gds\n"
      "s_waitcnt lgkmcnt(0)\n"
      "ds_gws_barrier v40 gds\n"
      "s_waitcnt lgkmcnt(0)" ::
          : "v40");
  flag[1] = 1;
}

// The host serves it without end.
__global__ void print(volatile int* flag) {
  while (*flag == 0) printf("");
}

int main(int argc, char** argv) {
  int* flag;
  HIP_CHECK(hipMalloc(&flag, 2 * sizeof(int)));
  HIP_CHECK(hipMemset(flag, 0, 2 * sizeof(int)));
  const auto is = [&](const char* name) { return argc == 2 && std::strcmp(argv[1], name) == 0; };
  if (is("spin")) spin<<<1, 64>>>(flag);
  if (is("sleep")) sleep<<<1, 64>>>(flag);
  if (is("jump")) jump<<<1, 64>>>(flag);
  if (is("barrier")) barrier<<<1, 128>>>(flag);
  if (is("grid_barrier")) grid_barrier<<<1, 64>>>(flag);
  if (is("print")) print<<<1, 64>>>(flag);
  HIP_CHECK(hipDeviceSynchronize());
  std::puts("survived");
}
