// options: --tool hazardcheck
// A scalar load waits for a count other than 0; scalar loads come back in any order.
#include "../planted.h"

__global__ void bad_hazard_scalar_load(int* data) {
  int first, result;
  // clang-format off
  asm volatile("s_load_dword %0, %2, 0x0\n" "s_load_dword %1, %2, 0x4\n" "s_waitcnt lgkmcnt(1)\n" "s_add_u32 %0, %0, 1\n" "s_waitcnt lgkmcnt(0)\n" : "=&s"(first), "=&s"(result) : "s"(data) : "memory");  // finds: missing_waitcnt
  // clang-format on
  data[threadIdx.x + 64] = first + result;
}

__global__ void good_hazard_scalar_load(int* data) {
  int first, result;
  // clang-format off
  asm volatile("s_load_dword %0, %2, 0x0\n" "s_load_dword %1, %2, 0x4\n" "s_waitcnt lgkmcnt(0)\n" "s_add_u32 %0, %0, 1\n" : "=&s"(first), "=&s"(result) : "s"(data) : "memory");
  // clang-format on
  data[threadIdx.x + 64] = first + result;
}

static void run_hazard_scalar_load(bool fault) {
  int* data = zeroed_array<int>(256);
  if (fault)
    bad_hazard_scalar_load<<<1, 64>>>(data);
  else
    good_hazard_scalar_load<<<1, 64>>>(data);
  finish();
  HIP_CHECK(hipFree(data));
}

PLANTED(hazard_scalar_load) { run_hazard_scalar_load(true); }
CLEAN(hazard_scalar_load) { run_hazard_scalar_load(false); }
