// options: --tool hazardcheck
// A register is written while a load for it is under way.
#include "../planted.h"

__global__ void bad_hazard_overwritten_load(int* data) {
  const int* from = data + threadIdx.x;
  int result;
  // clang-format off
  asm volatile("global_load_dword %0, %1, off\n" "v_mov_b32 %0, 5\n" "s_waitcnt vmcnt(0)\n" : "=&v"(result) : "v"(from) : "memory");  // finds: missing_waitcnt
  // clang-format on
  data[threadIdx.x + 64] = result;
}

__global__ void good_hazard_overwritten_load(int* data) {
  const int* from = data + threadIdx.x;
  int result;
  // clang-format off
  asm volatile("global_load_dword %0, %1, off\n" "s_waitcnt vmcnt(0)\n" "v_mov_b32 %0, 5\n" : "=&v"(result) : "v"(from) : "memory");
  // clang-format on
  data[threadIdx.x + 64] = result;
}

static void run_hazard_overwritten_load(bool fault) {
  int* data = zeroed_array<int>(256);
  if (fault)
    bad_hazard_overwritten_load<<<1, 64>>>(data);
  else
    good_hazard_overwritten_load<<<1, 64>>>(data);
  finish();
  HIP_CHECK(hipFree(data));
}

PLANTED(hazard_overwritten_load) { run_hazard_overwritten_load(true); }
CLEAN(hazard_overwritten_load) { run_hazard_overwritten_load(false); }
