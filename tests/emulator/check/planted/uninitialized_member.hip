// The host fills one member of each record.
#include "../planted.h"

struct Record {
  int key;
  int value;
};

__global__ void take_values(const Record* in, int* out) {
  out[threadIdx.x] = in[threadIdx.x].value;  // finds: uninitialized
}

static void run_uninitialized_member(std::size_t bytes) {
  static Record host[64];
  Record* in = device_array<Record>(64);
  int* out = device_array<int>(64);
  HIP_CHECK(hipMemcpy2D(in, sizeof(Record), host, sizeof(Record), bytes, 64, hipMemcpyHostToDevice));
  take_values<<<1, 64>>>(in, out);
  finish();
  HIP_CHECK(hipFree(in));
  HIP_CHECK(hipFree(out));
}

PLANTED(uninitialized_member) { run_uninitialized_member(sizeof(int)); }
CLEAN(uninitialized_member) { run_uninitialized_member(sizeof(Record)); }
