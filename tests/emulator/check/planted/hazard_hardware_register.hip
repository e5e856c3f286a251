// options: --tool hazardcheck
// A hardware register is read too early after it was set.
#include "../planted.h"

__global__ void bad_hazard_hardware_register(int* data) {
  const float one = 1;
  int result;
  // clang-format off
  asm volatile("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0\n" "s_getreg_b32 s20, hwreg(HW_REG_MODE)\n" "v_mov_b32 %0, s20\n" : "=&v"(result) : "v"(one), "v"(data) : "s20");  // finds: missing_wait_states
  // clang-format on
  data[threadIdx.x + 64] = result;
}

__global__ void good_hazard_hardware_register(int* data) {
  const float one = 1;
  int result;
  // clang-format off
  asm volatile("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0\n" "s_nop 1\n" "s_getreg_b32 s20, hwreg(HW_REG_MODE)\n" "v_mov_b32 %0, s20\n" : "=&v"(result) : "v"(one), "v"(data) : "s20");
  // clang-format on
  data[threadIdx.x + 64] = result;
}

static void run_hazard_hardware_register(bool fault) {
  int* data = zeroed_array<int>(256);
  if (fault)
    bad_hazard_hardware_register<<<1, 64>>>(data);
  else
    good_hazard_hardware_register<<<1, 64>>>(data);
  finish();
  HIP_CHECK(hipFree(data));
}

PLANTED(hazard_hardware_register) { run_hazard_hardware_register(true); }
CLEAN(hazard_hardware_register) { run_hazard_hardware_register(false); }
