// options: --tool hazardcheck
// The data of a wide store is overwritten before hardware has fetched it.
#include "../planted.h"

__global__ void bad_hazard_store_data(int* data) {
  const float one = 1;
  int result;
  // clang-format off
  asm volatile("global_store_dwordx4 %2, v[20:23], off\n" "v_mov_b32 v23, 0\n" "v_mov_b32 %0, v23\n" : "=&v"(result) : "v"(one), "v"(data) : "v20", "v21", "v22", "v23", "memory");  // finds: missing_wait_states
  // clang-format on
  data[threadIdx.x + 64] = result;
}

__global__ void good_hazard_store_data(int* data) {
  const float one = 1;
  int result;
  // clang-format off
  asm volatile("global_store_dwordx4 %2, v[20:23], off\n" "s_nop 1\n" "v_mov_b32 v23, 0\n" "v_mov_b32 %0, v23\n" : "=&v"(result) : "v"(one), "v"(data) : "v20", "v21", "v22", "v23", "memory");
  // clang-format on
  data[threadIdx.x + 64] = result;
}

static void run_hazard_store_data(bool fault) {
  int* data = zeroed_array<int>(256);
  if (fault)
    bad_hazard_store_data<<<1, 64>>>(data);
  else
    good_hazard_store_data<<<1, 64>>>(data);
  finish();
  HIP_CHECK(hipFree(data));
}

PLANTED(hazard_store_data) { run_hazard_store_data(true); }
CLEAN(hazard_store_data) { run_hazard_store_data(false); }
