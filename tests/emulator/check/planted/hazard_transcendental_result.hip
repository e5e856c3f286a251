// options: --arch gfx942 --tool hazardcheck
// gfx942: the result of a transcendental instruction is used at once by another one.
#include "../planted.h"

__global__ void bad_hazard_transcendental_result(int* data) {
  const float one = 1;
  int result;
  // clang-format off
  asm volatile("v_rcp_f32 v20, %1\n" "v_mov_b32 %0, v20\n" : "=&v"(result) : "v"(one), "v"(data) : "v20");  // finds: missing_wait_states
  // clang-format on
  data[threadIdx.x + 64] = result;
}

__global__ void good_hazard_transcendental_result(int* data) {
  const float one = 1;
  int result;
  // clang-format off
  asm volatile("v_rcp_f32 v20, %1\n" "s_nop 0\n" "v_mov_b32 %0, v20\n" : "=&v"(result) : "v"(one), "v"(data) : "v20");
  // clang-format on
  data[threadIdx.x + 64] = result;
}

static void run_hazard_transcendental_result(bool fault) {
  int* data = zeroed_array<int>(256);
  if (fault)
    bad_hazard_transcendental_result<<<1, 64>>>(data);
  else
    good_hazard_transcendental_result<<<1, 64>>>(data);
  finish();
  HIP_CHECK(hipFree(data));
}

PLANTED(hazard_transcendental_result) { run_hazard_transcendental_result(true); }
CLEAN(hazard_transcendental_result) { run_hazard_transcendental_result(false); }
