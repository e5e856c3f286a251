// options: --tool hazardcheck
// A lane number that the vector unit has just written selects a lane.
#include "../planted.h"

__global__ void bad_hazard_lane_select(int* data) {
  const int value = threadIdx.x;
  int lane, result;
  // clang-format off
  asm volatile("v_readfirstlane_b32 %0, %2\n" "s_nop 2\n" "v_readlane_b32 %1, %2, %0\n" "s_nop 4\n" : "=&s"(lane), "=&s"(result) : "v"(value) : "memory");  // finds: missing_wait_states
  // clang-format on
  data[threadIdx.x + 64] = result;
}

__global__ void good_hazard_lane_select(int* data) {
  const int value = threadIdx.x;
  int lane, result;
  // clang-format off
  asm volatile("v_readfirstlane_b32 %0, %2\n" "s_nop 3\n" "v_readlane_b32 %1, %2, %0\n" "s_nop 4\n" : "=&s"(lane), "=&s"(result) : "v"(value) : "memory");
  // clang-format on
  data[threadIdx.x + 64] = result;
}

static void run_hazard_lane_select(bool fault) {
  int* data = zeroed_array<int>(256);
  if (fault)
    bad_hazard_lane_select<<<1, 64>>>(data);
  else
    good_hazard_lane_select<<<1, 64>>>(data);
  finish();
  HIP_CHECK(hipFree(data));
}

PLANTED(hazard_lane_select) { run_hazard_lane_select(true); }
CLEAN(hazard_lane_select) { run_hazard_lane_select(false); }
