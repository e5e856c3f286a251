// The lanes of one wave write different values to one place.
#include "../planted.h"

__global__ void lanes_collide(int* data) {
  if (threadIdx.x < 64) data[threadIdx.x / 2] = threadIdx.x;  // finds: global_race
}

__global__ void lanes_agree(int* data) {
  if (threadIdx.x < 64) data[threadIdx.x / 2] = threadIdx.x / 2;
}

static void run_lanes_write_one_place(bool fault) {
  int* data = zeroed_array<int>(256);
  if (fault)
    lanes_collide<<<1, 256>>>(data);
  else
    lanes_agree<<<1, 256>>>(data);
  finish();
  HIP_CHECK(hipFree(data));
}

PLANTED(lanes_write_one_place) { run_lanes_write_one_place(true); }
CLEAN(lanes_write_one_place) { run_lanes_write_one_place(false); }
