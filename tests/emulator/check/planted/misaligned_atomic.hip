// A counter in a packed record, updated by an atomic operation.
#include "../planted.h"

__global__ void count_up(char* record, int offset) {
  atomicAdd(reinterpret_cast<int*>(record + offset), 1);  // finds: misaligned
}

static void run_misaligned_atomic(int offset) {
  char* record = zeroed_array<char>(64);
  count_up<<<1, 64>>>(record, offset);
  finish();
  HIP_CHECK(hipFree(record));
}

PLANTED(misaligned_atomic) { run_misaligned_atomic(6); }
CLEAN(misaligned_atomic) { run_misaligned_atomic(8); }
