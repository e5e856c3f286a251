// options: --tool hazardcheck
// Inline assembly that does not say which registers it uses: the kernel has fewer.
#include "../planted.h"

__global__ void bad_hazard_unallocated_register(int* data) {
  // clang-format off
  asm volatile("v_mov_b32 v200, 0\n" "s_mov_b32 s90, 0\n");  // finds: unallocated_register
  // clang-format on
  data[threadIdx.x] = 1;
}

__global__ void good_hazard_unallocated_register(int* data) {
  asm volatile("v_mov_b32 v200, 0\n" "s_mov_b32 s90, 0\n" ::: "v200", "s90");
  data[threadIdx.x] = 1;
}

static void run_hazard_unallocated_register(bool fault) {
  int* data = zeroed_array<int>(256);
  if (fault)
    bad_hazard_unallocated_register<<<1, 64>>>(data);
  else
    good_hazard_unallocated_register<<<1, 64>>>(data);
  finish();
  HIP_CHECK(hipFree(data));
}

PLANTED(hazard_unallocated_register) { run_hazard_unallocated_register(true); }
CLEAN(hazard_unallocated_register) { run_hazard_unallocated_register(false); }
