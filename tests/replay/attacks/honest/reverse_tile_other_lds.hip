// kernel: reverse_tile
// expect: accepted
// through: trial
// Turned around on the way into LDS.
extern "C" __global__ void candidate(const float* in, float* out, int n) {
  __shared__ float tile[1024];
  const int first = blockIdx.x * blockDim.x, i = first + threadIdx.x;
  const int count = n - first < static_cast<int>(blockDim.x) ? n - first : blockDim.x;
  if (i < n) tile[count - 1 - threadIdx.x] = in[i];
  __syncthreads();
  if (i < n) out[i] = tile[threadIdx.x];
}
