// options: --tool hazardcheck
// v_div_fmas reads VCC too early.
#include "../planted.h"

__global__ void bad_hazard_division(int* data) {
  const float value = threadIdx.x;
  float result;
  // clang-format off
  asm volatile("v_cmp_lt_f32 vcc, 1.0, %1\n" "s_nop 2\n" "v_div_fmas_f32 %0, %1, %1, %1\n" : "=&v"(result) : "v"(value) : "vcc", "memory");  // finds: missing_wait_states
  // clang-format on
  data[threadIdx.x + 64] = static_cast<int>(result);
}

__global__ void good_hazard_division(int* data) {
  const float value = threadIdx.x;
  float result;
  // clang-format off
  asm volatile("v_cmp_lt_f32 vcc, 1.0, %1\n" "s_nop 3\n" "v_div_fmas_f32 %0, %1, %1, %1\n" : "=&v"(result) : "v"(value) : "vcc", "memory");
  // clang-format on
  data[threadIdx.x + 64] = static_cast<int>(result);
}

static void run_hazard_division(bool fault) {
  int* data = zeroed_array<int>(256);
  if (fault)
    bad_hazard_division<<<1, 64>>>(data);
  else
    good_hazard_division<<<1, 64>>>(data);
  finish();
  HIP_CHECK(hipFree(data));
}

PLANTED(hazard_division) { run_hazard_division(true); }
CLEAN(hazard_division) { run_hazard_division(false); }
