// A pointer into an allocation is freed; HIP's runtime takes it without an error.
#include "../planted.h"

static void run_free_within(std::size_t offset) {
  char* device = device_array<char>(1000);
  void* host = nullptr;
  HIP_CHECK(hipHostMalloc(&host, 1000));
  (void)hipFree(device + offset);                        // finds: invalid_free
  (void)hipHostFree(static_cast<char*>(host) + offset);  // finds: invalid_free
}

PLANTED(free_within) { run_free_within(16); }
CLEAN(free_within) { run_free_within(0); }
