// kernel: first_window
// expect: accepted
// The windows in LDS: what other numbers of them read beyond their buffer is no fault of this one.
extern "C" __global__ void candidate(const float* windows, const float* x, int* out, int count,
                                     int n) {
  __shared__ float tile[3 * 64];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int found = -1;
  for (int begin = 0; begin < count; begin += 64) {
    const int here = min(64, count - begin);
    for (int at = threadIdx.x; at < 3 * here; at += blockDim.x) tile[at] = windows[3 * begin + at];
    __syncthreads();
    for (int k = 0; i < n && k < here && found < 0; ++k) {
      const float middle = tile[3 * k], width = tile[3 * k + 1], weight = tile[3 * k + 2];
      if (width > 0.01f && width < 200 && weight > 0.25f && fabsf(x[i] - middle) < width)
        found = begin + k;
    }
    __syncthreads();
  }
  if (i < n) out[i] = found;
}
