// Streams that order each other by events; event times come from the modelled GPU.
#include <cmath>
#include <vector>

#include "check.h"

__global__ void scale(float* data, int n, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = data[i];
  for (int r = 0; r < rounds; ++r) x = x * 1.5f + 1.0f;
  data[i] = x;
}

__global__ void sum(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

static float host(float x, int rounds) {
  for (int r = 0; r < rounds; ++r) x = std::fma(x, 1.5f, 1.0f);
  return x;
}

int main() {
  const int n = 1 << 14, blocks = n / 256;
  float *a, *b, *c;
  HIP_CHECK(hipMalloc(&a, n * sizeof(float)));
  HIP_CHECK(hipMalloc(&b, n * sizeof(float)));
  HIP_CHECK(hipMalloc(&c, n * sizeof(float)));
  std::vector<float> one(n, 1.0f), two(n, 2.0f), out(n);
  HIP_CHECK(hipMemcpy(a, one.data(), n * sizeof(float), hipMemcpyHostToDevice));
  HIP_CHECK(hipMemcpy(b, two.data(), n * sizeof(float), hipMemcpyHostToDevice));
  hipStream_t first, second;
  HIP_CHECK(hipStreamCreateWithFlags(&first, hipStreamNonBlocking));
  HIP_CHECK(hipStreamCreateWithFlags(&second, hipStreamNonBlocking));
  hipEvent_t begin, middle, end, ready;
  for (hipEvent_t* event : {&begin, &middle, &end, &ready}) HIP_CHECK(hipEventCreate(event));

  HIP_CHECK(hipEventRecord(begin, first));
  scale<<<blocks, 256, 0, first>>>(a, n, 3);
  HIP_CHECK(hipEventRecord(middle, first));
  scale<<<blocks, 256, 0, second>>>(b, n, 20);
  HIP_CHECK(hipEventRecord(ready, second));
  HIP_CHECK(hipStreamWaitEvent(first, ready, 0));
  sum<<<blocks, 256, 0, first>>>(a, b, c, n);
  HIP_CHECK(hipEventRecord(end, first));
  HIP_CHECK(hipEventSynchronize(end));
  EXPECT(hipEventQuery(end) == hipSuccess);

  HIP_CHECK(hipMemcpy(out.data(), c, n * sizeof(float), hipMemcpyDeviceToHost));
  const float expected = host(1.0f, 3) + host(2.0f, 20);
  for (int i = 0; i < n; ++i) EXPECT(std::abs(out[i] - expected) <= 1e-5f * expected);
  float to_middle = -1, to_end = -1, backwards = 1;
  HIP_CHECK(hipEventElapsedTime(&to_middle, begin, middle));
  HIP_CHECK(hipEventElapsedTime(&to_end, begin, end));
  HIP_CHECK(hipEventElapsedTime(&backwards, end, begin));
  std::printf("elapsed: %g ms, %g ms\n", to_middle, to_end);
  EXPECT(to_middle > 0 && to_end > to_middle && backwards < 0);
  // A kernel of a few microseconds on that GPU, whatever the emulation takes.
  EXPECT(to_end < 5);
}
