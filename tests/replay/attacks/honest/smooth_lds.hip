// kernel: smooth
// expect: accepted
// Each input value is loaded once a workgroup.
extern "C" __global__ void candidate(const float* in, float* out, int n) {
  __shared__ float tile[258];
  const int i = blockIdx.x * 256 + threadIdx.x, last = n - 1;
  if (i < n) tile[threadIdx.x + 1] = in[i];
  if (threadIdx.x == 0) tile[0] = in[i > 0 ? i - 1 : 0];
  if (threadIdx.x == 255 || i == last) tile[threadIdx.x + 2] = in[i < last ? i + 1 : last];
  __syncthreads();
  if (i < n) out[i] = 0.25f * tile[threadIdx.x] + 0.5f * tile[threadIdx.x + 1] + 0.25f * tile[threadIdx.x + 2];
}
