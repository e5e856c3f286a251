// A stencil that writes where its neighbours still read.
#include "../planted.h"

__global__ void smooth_in_place(int* data) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int right = i + 1 < 1024 ? data[i + 1] : 1;
  data[i] = right + i;  // finds: global_race
}

__global__ void smooth_apart(int* data) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 512) data[512 + i] = data[i < 511 ? i + 1 : i] + i;
}

static void run_stencil_in_place(bool fault) {
  int* data = zeroed_array<int>(1024);
  if (fault)
    smooth_in_place<<<8, 128>>>(data);
  else
    smooth_apart<<<8, 128>>>(data);
  finish();
  HIP_CHECK(hipFree(data));
}

PLANTED(stencil_in_place) { run_stencil_in_place(true); }
CLEAN(stencil_in_place) { run_stencil_in_place(false); }
