// options: --arch gfx90a --tool hazardcheck
// gfx90a forgets to wait for a vector instruction when an f64 matrix instruction follows it.
#include "../planted.h"

__global__ void bad_hazard_f64_matrix_between(int* data) {
  const float one = 1;
  int result;
  // clang-format off
  asm volatile("s_nop 4\n" "v_mov_b32 v30, 0\n" "v_mfma_f64_4x4x4f64 v[20:21], v[22:23], v[22:23], 0\n" "global_store_dword %2, v30, off\n" "s_nop 7\n" "s_nop 2\n" "v_mov_b32 %0, v20\n" : "=&v"(result) : "v"(one), "v"(data) : "v20", "v21", "v22", "v23", "v30", "memory");  // finds: missing_wait_states
  // clang-format on
  data[threadIdx.x + 64] = result;
}

__global__ void good_hazard_f64_matrix_between(int* data) {
  const float one = 1;
  int result;
  // clang-format off
  asm volatile("s_nop 4\n" "v_mov_b32 v30, 0\n" "v_mfma_f64_4x4x4f64 v[20:21], v[22:23], v[22:23], 0\n" "s_nop 0\n" "global_store_dword %2, v30, off\n" "s_nop 7\n" "s_nop 2\n" "v_mov_b32 %0, v20\n" : "=&v"(result) : "v"(one), "v"(data) : "v20", "v21", "v22", "v23", "v30", "memory");
  // clang-format on
  data[threadIdx.x + 64] = result;
}

static void run_hazard_f64_matrix_between(bool fault) {
  int* data = zeroed_array<int>(256);
  if (fault)
    bad_hazard_f64_matrix_between<<<1, 64>>>(data);
  else
    good_hazard_f64_matrix_between<<<1, 64>>>(data);
  finish();
  HIP_CHECK(hipFree(data));
}

PLANTED(hazard_f64_matrix_between) { run_hazard_f64_matrix_between(true); }
CLEAN(hazard_f64_matrix_between) { run_hazard_f64_matrix_between(false); }
