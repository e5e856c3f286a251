// A structure keeps a pointer to memory that was freed.
#include "../planted.h"

struct Buffers {
  int* result;
};

__global__ void fill_result(const Buffers* buffers) {
  buffers->result[threadIdx.x] = 3;  // finds: use_after_free
}

static void run_stale_pointer_write(bool early) {
  Buffers host{device_array<int>(64)};
  Buffers* buffers = device_array<Buffers>(1);
  HIP_CHECK(hipMemcpy(buffers, &host, sizeof host, hipMemcpyHostToDevice));
  if (early) HIP_CHECK(hipFree(host.result));
  fill_result<<<1, 64>>>(buffers);
  finish();
  if (!early) HIP_CHECK(hipFree(host.result));
  HIP_CHECK(hipFree(buffers));
}

PLANTED(stale_pointer_write) { run_stale_pointer_write(true); }
CLEAN(stale_pointer_write) { run_stale_pointer_write(false); }
