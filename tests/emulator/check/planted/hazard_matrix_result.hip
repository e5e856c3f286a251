// options: --tool hazardcheck
// The result of a matrix instruction is read too early.
#include "../planted.h"

__global__ void bad_hazard_matrix_result(int* data) {
  const float one = 1;
  int result;
  // clang-format off
  asm volatile("s_nop 4\n" "v_mfma_f32_16x16x4f32 v[20:23], %1, %1, 0\n" "s_nop 7\n" "v_mov_b32 %0, v20\n" : "=&v"(result) : "v"(one) : "v20", "v21", "v22", "v23");  // finds: missing_wait_states
  // clang-format on
  data[threadIdx.x + 64] = result;
}

__global__ void good_hazard_matrix_result(int* data) {
  const float one = 1;
  int result;
  // clang-format off
  asm volatile("s_nop 4\n" "v_mfma_f32_16x16x4f32 v[20:23], %1, %1, 0\n" "s_nop 7\n" "s_nop 2\n" "v_mov_b32 %0, v20\n" : "=&v"(result) : "v"(one) : "v20", "v21", "v22", "v23");
  // clang-format on
  data[threadIdx.x + 64] = result;
}

static void run_hazard_matrix_result(bool fault) {
  int* data = zeroed_array<int>(256);
  if (fault)
    bad_hazard_matrix_result<<<1, 64>>>(data);
  else
    good_hazard_matrix_result<<<1, 64>>>(data);
  finish();
  HIP_CHECK(hipFree(data));
}

PLANTED(hazard_matrix_result) { run_hazard_matrix_result(true); }
CLEAN(hazard_matrix_result) { run_hazard_matrix_result(false); }
