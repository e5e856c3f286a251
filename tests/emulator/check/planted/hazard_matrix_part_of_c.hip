// options: --tool hazardcheck
// A part of a matrix instruction's result is a part of what the next one adds to.
#include "../planted.h"

__global__ void bad_hazard_matrix_part_of_c(int* data) {
  const float one = 1;
  int result;
  // clang-format off
  asm volatile("s_nop 4\n" "v_mfma_f32_16x16x4f32 v[20:23], %1, %1, 0\n" "s_nop 4\n" "v_mfma_f32_16x16x4f32 v[30:33], %1, %1, v[22:25]\n" "s_nop 7\n" "s_nop 3\n" "v_mov_b32 %0, v30\n" : "=&v"(result) : "v"(one) : "v20", "v21", "v22", "v23", "v24", "v25", "v30", "v31", "v32", "v33");  // finds: missing_wait_states
  // clang-format on
  data[threadIdx.x + 64] = result;
}

__global__ void good_hazard_matrix_part_of_c(int* data) {
  const float one = 1;
  int result;
  // clang-format off
  asm volatile("s_nop 4\n" "v_mfma_f32_16x16x4f32 v[20:23], %1, %1, 0\n" "s_nop 7\n" "v_mfma_f32_16x16x4f32 v[30:33], %1, %1, v[22:25]\n" "s_nop 7\n" "s_nop 3\n" "v_mov_b32 %0, v30\n" : "=&v"(result) : "v"(one) : "v20", "v21", "v22", "v23", "v24", "v25", "v30", "v31", "v32", "v33");
  // clang-format on
  data[threadIdx.x + 64] = result;
}

static void run_hazard_matrix_part_of_c(bool fault) {
  int* data = zeroed_array<int>(256);
  if (fault)
    bad_hazard_matrix_part_of_c<<<1, 64>>>(data);
  else
    good_hazard_matrix_part_of_c<<<1, 64>>>(data);
  finish();
  HIP_CHECK(hipFree(data));
}

PLANTED(hazard_matrix_part_of_c) { run_hazard_matrix_part_of_c(true); }
CLEAN(hazard_matrix_part_of_c) { run_hazard_matrix_part_of_c(false); }
