// options: --tool hazardcheck
// The result of a dot product is used by another instruction at once.
#include "../planted.h"

__global__ void bad_hazard_dot_result(int* data) {
  const float one = 1;
  int result;
  // clang-format off
  asm volatile("v_dot2_f32_f16 v20, %1, %1, %1\n" "v_mov_b32 %0, v20\n" : "=&v"(result) : "v"(one), "v"(data) : "v20");  // finds: missing_wait_states
  // clang-format on
  data[threadIdx.x + 64] = result;
}

__global__ void good_hazard_dot_result(int* data) {
  const float one = 1;
  int result;
  // clang-format off
  asm volatile("v_dot2_f32_f16 v20, %1, %1, %1\n" "s_nop 2\n" "v_mov_b32 %0, v20\n" : "=&v"(result) : "v"(one), "v"(data) : "v20");
  // clang-format on
  data[threadIdx.x + 64] = result;
}

static void run_hazard_dot_result(bool fault) {
  int* data = zeroed_array<int>(256);
  if (fault)
    bad_hazard_dot_result<<<1, 64>>>(data);
  else
    good_hazard_dot_result<<<1, 64>>>(data);
  finish();
  HIP_CHECK(hipFree(data));
}

PLANTED(hazard_dot_result) { run_hazard_dot_result(true); }
CLEAN(hazard_dot_result) { run_hazard_dot_result(false); }
