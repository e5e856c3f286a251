// Memory of the host is freed as memory of the device, and the other way round.
#include "../planted.h"

static void run_free_by_other_kind(bool fault) {
  int* device = device_array<int>(64);
  void* host = nullptr;
  HIP_CHECK(hipHostMalloc(&host, 256));
  if (fault) {
    HIP_CHECK(hipHostFree(device));  // finds: mismatched_free
    HIP_CHECK(hipFree(host));        // finds: mismatched_free
  } else {
    HIP_CHECK(hipHostFree(host));
    HIP_CHECK(hipFree(device));
  }
}

PLANTED(free_by_other_kind) { run_free_by_other_kind(true); }
CLEAN(free_by_other_kind) { run_free_by_other_kind(false); }
