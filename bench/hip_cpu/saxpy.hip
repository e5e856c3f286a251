// y = a * x + y, sixteen times.
#include "../common/sample.h"

#include <vector>

__global__ void saxpy(float a, const float* x, float* y, unsigned size) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) y[i] = a * x[i] + y[i];
}

int main(int argc, char** argv) {
  const sample::Options options =
      sample::parse_options(argc, argv, 1u << 20, 1, 1u << 28, "number of values");
  const std::size_t bytes = options.size * sizeof(float);
  std::vector<float> host(options.size, 1.0f);
  float *x = nullptr, *y = nullptr;
  HIP_CHECK(hipMalloc((void**)&x, bytes));
  HIP_CHECK(hipMalloc((void**)&y, bytes));
  HIP_CHECK(hipMemcpy(x, host.data(), bytes, hipMemcpyHostToDevice));
  HIP_CHECK(hipMemcpy(y, host.data(), bytes, hipMemcpyHostToDevice));
  sample::EventTimer timer;
  timer.start();
  for (int n = 0; n < 16; ++n) {
    saxpy<<<dim3((options.size + 255) / 256), dim3(256)>>>(2.0f, x, y, options.size);
  }
  const float ms = timer.stop_ms();
  HIP_CHECK(hipMemcpy(host.data(), y, bytes, hipMemcpyDeviceToHost));
  bool passed = true;
  for (const float value : host) passed = passed && value == 33.0f;
  return sample::report("saxpy", passed, ms) ? 0 : 1;
}
