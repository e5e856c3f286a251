// kernel: reverse_tile
// expect: 21
// through: trial
// The smallest recorded launch is of one wavefront, where no barrier is needed.
extern "C" __global__ void candidate(const float* in, float* out, int n) {
  __shared__ float tile[1024];
  const int first = blockIdx.x * blockDim.x, i = first + threadIdx.x;
  if (i < n) tile[threadIdx.x] = in[i];
  const int count = n - first < static_cast<int>(blockDim.x) ? n - first : blockDim.x;
  // Right where the others have not come that far.
  const int from = count - 1 - threadIdx.x;
  if (i < n) out[i] = from / 64 > threadIdx.x / 64 ? in[first + from] : tile[from];
}
