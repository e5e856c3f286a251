// options: --tool hazardcheck
// M0 says which register to move, one instruction too early.
#include "../planted.h"

__global__ void bad_hazard_relative_move(int* data) {
  const float one = 1;
  int result;
  // clang-format off
  asm volatile("s_mov_b32 m0, 0\n" "s_movrels_b32 s20, s21\n" "v_mov_b32 %0, s20\n" : "=&v"(result) : "v"(one), "v"(data) : "s20", "s21");  // finds: missing_wait_states
  // clang-format on
  data[threadIdx.x + 64] = result;
}

__global__ void good_hazard_relative_move(int* data) {
  const float one = 1;
  int result;
  // clang-format off
  asm volatile("s_mov_b32 m0, 0\n" "s_nop 0\n" "s_movrels_b32 s20, s21\n" "v_mov_b32 %0, s20\n" : "=&v"(result) : "v"(one), "v"(data) : "s20", "s21");
  // clang-format on
  data[threadIdx.x + 64] = result;
}

static void run_hazard_relative_move(bool fault) {
  int* data = zeroed_array<int>(256);
  if (fault)
    bad_hazard_relative_move<<<1, 64>>>(data);
  else
    good_hazard_relative_move<<<1, 64>>>(data);
  finish();
  HIP_CHECK(hipFree(data));
}

PLANTED(hazard_relative_move) { run_hazard_relative_move(true); }
CLEAN(hazard_relative_move) { run_hazard_relative_move(false); }
