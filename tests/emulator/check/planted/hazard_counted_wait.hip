// options: --tool hazardcheck
// The second of two loads is used after a wait for the first.
#include "../planted.h"

__global__ void bad_hazard_counted_wait(int* data) {
  const int* from = data + threadIdx.x;
  int first, result;
  // clang-format off
  asm volatile("global_load_dword %0, %2, off\n" "global_load_dword %1, %2, off\n" "s_waitcnt vmcnt(1)\n" "v_add_u32 %1, 1, %1\n" "s_waitcnt vmcnt(0)\n" : "=&v"(first), "=&v"(result) : "v"(from) : "memory");  // finds: missing_waitcnt
  // clang-format on
  data[threadIdx.x + 64] = first + result;
}

__global__ void good_hazard_counted_wait(int* data) {
  const int* from = data + threadIdx.x;
  int first, result;
  // clang-format off
  asm volatile("global_load_dword %0, %2, off\n" "global_load_dword %1, %2, off\n" "s_waitcnt vmcnt(1)\n" "v_add_u32 %0, 1, %0\n" "s_waitcnt vmcnt(0)\n" : "=&v"(first), "=&v"(result) : "v"(from) : "memory");
  // clang-format on
  data[threadIdx.x + 64] = first + result;
}

static void run_hazard_counted_wait(bool fault) {
  int* data = zeroed_array<int>(256);
  if (fault)
    bad_hazard_counted_wait<<<1, 64>>>(data);
  else
    good_hazard_counted_wait<<<1, 64>>>(data);
  finish();
  HIP_CHECK(hipFree(data));
}

PLANTED(hazard_counted_wait) { run_hazard_counted_wait(true); }
CLEAN(hazard_counted_wait) { run_hazard_counted_wait(false); }
