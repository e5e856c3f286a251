// options: --tool hazardcheck
// A value from LDS is used before its s_waitcnt.
#include "../planted.h"

__global__ void bad_hazard_lds_load(int* data) {
  __shared__ int tile[64];
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  const int at = static_cast<int>(threadIdx.x * 4);
  int result = tile[0];
  // clang-format off
  asm volatile("s_waitcnt lgkmcnt(0)\n" "ds_read_b32 %0, %1\n" "v_lshlrev_b32 %0, 1, %0\n" "s_waitcnt lgkmcnt(0)\n" : "+v"(result) : "v"(at) : "memory");  // finds: missing_waitcnt
  // clang-format on
  data[threadIdx.x + 64] = result;
}

__global__ void good_hazard_lds_load(int* data) {
  __shared__ int tile[64];
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  const int at = static_cast<int>(threadIdx.x * 4);
  int result = tile[0];
  // clang-format off
  asm volatile("s_waitcnt lgkmcnt(0)\n" "ds_read_b32 %0, %1\n" "s_waitcnt lgkmcnt(0)\n" "v_lshlrev_b32 %0, 1, %0\n" : "+v"(result) : "v"(at) : "memory");
  // clang-format on
  data[threadIdx.x + 64] = result;
}

static void run_hazard_lds_load(bool fault) {
  int* data = zeroed_array<int>(256);
  if (fault)
    bad_hazard_lds_load<<<1, 64>>>(data);
  else
    good_hazard_lds_load<<<1, 64>>>(data);
  finish();
  HIP_CHECK(hipFree(data));
}

PLANTED(hazard_lds_load) { run_hazard_lds_load(true); }
CLEAN(hazard_lds_load) { run_hazard_lds_load(false); }
