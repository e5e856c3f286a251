// Four floats at a time, of a number that four does not divide.
#include "../planted.h"

__global__ void twice4(float4* data, int n) {
  const int i = threadIdx.x;
  if (i * 4 < n) {
    float4 v = data[i];  // finds: out_of_bounds
    v.x *= 2, v.y *= 2, v.z *= 2, v.w *= 2;
    data[i] = v;  // finds: out_of_bounds
  }
}

static void run_vector_tail(int n) {
  float* data = zeroed_array<float>(n);
  twice4<<<1, 64>>>(reinterpret_cast<float4*>(data), n);
  finish();
  HIP_CHECK(hipFree(data));
}

PLANTED(vector_tail) { run_vector_tail(102); }
CLEAN(vector_tail) { run_vector_tail(104); }
