// options: --arch gfx942 --tool hazardcheck
// gfx942: a vector instruction reads a scalar register that another has just written.
#include "../planted.h"

__global__ void bad_hazard_lane_to_vector(int* data) {
  const float one = 1;
  int result;
  // clang-format off
  asm volatile("s_nop 4\n" "v_readfirstlane_b32 s20, %1\n" "v_mov_b32 %0, s20\n" : "=&v"(result) : "v"(one), "v"(data) : "s20");  // finds: missing_wait_states
  // clang-format on
  data[threadIdx.x + 64] = result;
}

__global__ void good_hazard_lane_to_vector(int* data) {
  const float one = 1;
  int result;
  // clang-format off
  asm volatile("s_nop 4\n" "v_readfirstlane_b32 s20, %1\n" "s_nop 1\n" "v_mov_b32 %0, s20\n" : "=&v"(result) : "v"(one), "v"(data) : "s20");
  // clang-format on
  data[threadIdx.x + 64] = result;
}

static void run_hazard_lane_to_vector(bool fault) {
  int* data = zeroed_array<int>(256);
  if (fault)
    bad_hazard_lane_to_vector<<<1, 64>>>(data);
  else
    good_hazard_lane_to_vector<<<1, 64>>>(data);
  finish();
  HIP_CHECK(hipFree(data));
}

PLANTED(hazard_lane_to_vector) { run_hazard_lane_to_vector(true); }
CLEAN(hazard_lane_to_vector) { run_hazard_lane_to_vector(false); }
