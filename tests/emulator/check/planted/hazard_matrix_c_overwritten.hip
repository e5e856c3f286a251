// options: --arch gfx90a --tool hazardcheck
// What a matrix instruction adds to is overwritten before hardware has read it.
#include "../planted.h"

__global__ void bad_hazard_matrix_c_overwritten(int* data) {
  const float one = 1;
  int result;
  // clang-format off
  asm volatile("s_nop 4\n" "v_mfma_i32_16x16x16i8 v[20:23], %1, %1, v[30:33]\n" "v_mov_b32 v30, 0\n" "s_nop 7\n" "s_nop 3\n" "v_mov_b32 %0, v20\n" : "=&v"(result) : "v"(one), "v"(data) : "v20", "v21", "v22", "v23", "v30", "v31", "v32", "v33");  // finds: missing_wait_states
  // clang-format on
  data[threadIdx.x + 64] = result;
}

__global__ void good_hazard_matrix_c_overwritten(int* data) {
  const float one = 1;
  int result;
  // clang-format off
  asm volatile("s_nop 4\n" "v_mfma_i32_16x16x16i8 v[20:23], %1, %1, v[30:33]\n" "s_nop 6\n" "v_mov_b32 v30, 0\n" "s_nop 7\n" "s_nop 3\n" "v_mov_b32 %0, v20\n" : "=&v"(result) : "v"(one), "v"(data) : "v20", "v21", "v22", "v23", "v30", "v31", "v32", "v33");
  // clang-format on
  data[threadIdx.x + 64] = result;
}

static void run_hazard_matrix_c_overwritten(bool fault) {
  int* data = zeroed_array<int>(256);
  if (fault)
    bad_hazard_matrix_c_overwritten<<<1, 64>>>(data);
  else
    good_hazard_matrix_c_overwritten<<<1, 64>>>(data);
  finish();
  HIP_CHECK(hipFree(data));
}

PLANTED(hazard_matrix_c_overwritten) { run_hazard_matrix_c_overwritten(true); }
CLEAN(hazard_matrix_c_overwritten) { run_hazard_matrix_c_overwritten(false); }
