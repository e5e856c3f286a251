// options: --tool hazardcheck
// An address that the vector unit has just written is the base of a load.
#include "../planted.h"

__global__ void bad_hazard_scalar_base(int* data) {
  const unsigned low = static_cast<unsigned>(reinterpret_cast<unsigned long>(data));
  const unsigned high = static_cast<unsigned>(reinterpret_cast<unsigned long>(data) >> 32);
  const int offset = threadIdx.x * 4;
  int result;
  // clang-format off
  asm volatile("s_nop 0\n" "v_readfirstlane_b32 s20, %1\n" "v_readfirstlane_b32 s21, %2\n" "s_nop 3\n" "global_load_dword %0, %3, s[20:21]\n" "s_waitcnt vmcnt(0)\n" : "=&v"(result) : "v"(low), "v"(high), "v"(offset) : "s20", "s21", "memory");  // finds: missing_wait_states
  // clang-format on
  data[threadIdx.x + 64] = result;
}

__global__ void good_hazard_scalar_base(int* data) {
  const unsigned low = static_cast<unsigned>(reinterpret_cast<unsigned long>(data));
  const unsigned high = static_cast<unsigned>(reinterpret_cast<unsigned long>(data) >> 32);
  const int offset = threadIdx.x * 4;
  int result;
  // clang-format off
  asm volatile("s_nop 0\n" "v_readfirstlane_b32 s20, %1\n" "v_readfirstlane_b32 s21, %2\n" "s_nop 4\n" "global_load_dword %0, %3, s[20:21]\n" "s_waitcnt vmcnt(0)\n" : "=&v"(result) : "v"(low), "v"(high), "v"(offset) : "s20", "s21", "memory");
  // clang-format on
  data[threadIdx.x + 64] = result;
}

static void run_hazard_scalar_base(bool fault) {
  int* data = zeroed_array<int>(256);
  if (fault)
    bad_hazard_scalar_base<<<1, 64>>>(data);
  else
    good_hazard_scalar_base<<<1, 64>>>(data);
  finish();
  HIP_CHECK(hipFree(data));
}

PLANTED(hazard_scalar_base) { run_hazard_scalar_base(true); }
CLEAN(hazard_scalar_base) { run_hazard_scalar_base(false); }
