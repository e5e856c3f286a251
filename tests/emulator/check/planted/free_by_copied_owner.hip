// An owner of memory is copied, so that both copies free it.
#include "../planted.h"

__global__ void fill(int* out) { out[threadIdx.x] = 1; }

namespace {
struct Buffer {
  int* memory = device_array<int>(64);
  ~Buffer() { (void)hipFree(memory); }  // finds: double_free
};
}  // namespace

static void run_copied_owner(bool copies) {
  Buffer buffer;
  fill<<<1, 64>>>(buffer.memory);
  finish();
  if (!copies) return;
  Buffer other = buffer;
  (void)other;
}

PLANTED(free_by_copied_owner) { run_copied_owner(true); }
CLEAN(free_by_copied_owner) { run_copied_owner(false); }
