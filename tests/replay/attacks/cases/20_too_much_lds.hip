// kernel: row_sum
// expect: 20
// spec: {"launch_change": {"lds": {"bytes_added": 65792}}}
extern "C" __global__ void candidate(const float* in, float* out, int columns) {
  extern __shared__ float staged[];
  float sum = 0;
  for (int c = threadIdx.x; c < columns; c += 256) sum += in[blockIdx.x * columns + c];
  staged[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x) return;
  for (int i = 1; i < 256; ++i) sum += staged[i];
  out[blockIdx.x] = sum;
}
