// kernel: saxpy
// expect: accepted
// spec: {"launch_change": {"x": {"grid": {"rule": "cover", "value": 4}}}}
// Four elements a work-item, as one 16-byte access where all four are there.
extern "C" __global__ void candidate(float a, const float* __restrict__ x, const float* __restrict__ y,
                                     float* __restrict__ out, int n) {
  const int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
  if (i + 3 < n) {
    const float4 u = *reinterpret_cast<const float4*>(x + i), v = *reinterpret_cast<const float4*>(y + i);
    *reinterpret_cast<float4*>(out + i) =
        make_float4(a * u.x + v.x, a * u.y + v.y, a * u.z + v.z, a * u.w + v.w);
  } else {
    for (int k = i; k < n; ++k) out[k] = a * x[k] + y[k];
  }
}
