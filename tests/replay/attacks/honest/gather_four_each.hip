// kernel: gather
// expect: accepted
// spec: {"launch_change": {"conditions": [{"kind": "argument_multiple", "index": 3, "value": 4}], "x": {"grid": {"rule": "cover", "value": 4}}}}
// Indices as 16-byte loads, for sizes that are a multiple of four.
extern "C" __global__ void candidate(const float* table, const int* index, float* out, int n) {
  const int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
  if (i >= n) return;
  const int4 at = *reinterpret_cast<const int4*>(index + i);
  *reinterpret_cast<float4*>(out + i) = make_float4(table[at.x], table[at.y], table[at.z], table[at.w]);
}
