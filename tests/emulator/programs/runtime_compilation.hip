// hiprtc: source text compiled while the program runs.
#include <hip/hiprtc.h>

#include <string>
#include <vector>

#include "check.h"

static const char* kSource = R"(
extern "C" __global__ void axpy(float a, const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
)";

int main() {
  hiprtcProgram program;
  EXPECT(hiprtcCreateProgram(&program, kSource, "axpy.cu", 0, nullptr, nullptr) == HIPRTC_SUCCESS);
  const char* options[] = {"--gpu-architecture=gfx90a"};
  const hiprtcResult compiled = hiprtcCompileProgram(program, 1, options);
  if (compiled != HIPRTC_SUCCESS) {
    size_t size = 0;
    hiprtcGetProgramLogSize(program, &size);
    std::string log(size, '\0');
    hiprtcGetProgramLog(program, log.data());
    std::fprintf(stderr, "%s\n", log.c_str());
  }
  EXPECT(compiled == HIPRTC_SUCCESS);
  size_t size;
  EXPECT(hiprtcGetCodeSize(program, &size) == HIPRTC_SUCCESS);
  std::vector<char> code(size);
  EXPECT(hiprtcGetCode(program, code.data()) == HIPRTC_SUCCESS);
  hipModule_t module;
  hipFunction_t axpy;
  HIP_CHECK(hipModuleLoadData(&module, code.data()));
  HIP_CHECK(hipModuleGetFunction(&axpy, module, "axpy"));

  int n = 1000;
  float a = 2.5f;
  std::vector<float> x(n), y(n), out(n);
  for (int i = 0; i < n; ++i) {
    x[i] = i;
    y[i] = 10 - i;
  }
  float *dx, *dy;
  HIP_CHECK(hipMalloc(&dx, n * sizeof(float)));
  HIP_CHECK(hipMalloc(&dy, n * sizeof(float)));
  HIP_CHECK(hipMemcpy(dx, x.data(), n * sizeof(float), hipMemcpyHostToDevice));
  HIP_CHECK(hipMemcpy(dy, y.data(), n * sizeof(float), hipMemcpyHostToDevice));
  void* arguments[] = {&a, &dx, &dy, &n};
  HIP_CHECK(hipModuleLaunchKernel(axpy, 4, 1, 1, 256, 1, 1, 0, nullptr, arguments, nullptr));
  HIP_CHECK(hipMemcpy(out.data(), dy, n * sizeof(float), hipMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i) EXPECT(out[i] == a * x[i] + y[i]);
}
