// options: --tool hazardcheck
// A DPP instruction reads what the instruction before it wrote.
#include "../planted.h"

__global__ void bad_hazard_dpp(int* data) {
  const int value = threadIdx.x;
  int shifted, result;
  // clang-format off
  asm volatile("v_mov_b32 %0, %2\n" "s_nop 0\n" "v_mov_b32_dpp %1, %0 row_shl:1 row_mask:0xf bank_mask:0xf bound_ctrl:0\n" : "=&v"(shifted), "=&v"(result) : "v"(value) : "memory");  // finds: missing_wait_states
  // clang-format on
  data[threadIdx.x + 64] = result;
}

__global__ void good_hazard_dpp(int* data) {
  const int value = threadIdx.x;
  int shifted, result;
  // clang-format off
  asm volatile("v_mov_b32 %0, %2\n" "s_nop 1\n" "v_mov_b32_dpp %1, %0 row_shl:1 row_mask:0xf bank_mask:0xf bound_ctrl:0\n" : "=&v"(shifted), "=&v"(result) : "v"(value) : "memory");
  // clang-format on
  data[threadIdx.x + 64] = result;
}

static void run_hazard_dpp(bool fault) {
  int* data = zeroed_array<int>(256);
  if (fault)
    bad_hazard_dpp<<<1, 64>>>(data);
  else
    good_hazard_dpp<<<1, 64>>>(data);
  finish();
  HIP_CHECK(hipFree(data));
}

PLANTED(hazard_dpp) { run_hazard_dpp(true); }
CLEAN(hazard_dpp) { run_hazard_dpp(false); }
