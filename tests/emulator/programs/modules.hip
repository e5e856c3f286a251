// The module API: load a code object, find its kernel and its variable, launch.
#include <string>
#include <vector>

#include "check.h"

int main(int argc, char** argv) {
  EXPECT(argc == 2);  // the code object
  hipModule_t module;
  HIP_CHECK(hipModuleLoad(&module, argv[1]));
  hipFunction_t fill;
  HIP_CHECK(hipModuleGetFunction(&fill, module, "module_fill"));
  EXPECT(hipModuleGetFunction(&fill, module, "no_such_kernel") != hipSuccess);
  HIP_CHECK(hipModuleGetFunction(&fill, module, "module_fill"));
  hipDeviceptr_t variable;
  size_t bytes;
  HIP_CHECK(hipModuleGetGlobal(&variable, &bytes, module, "module_offset"));
  EXPECT(bytes == sizeof(int));
  const int offset = 7;
  HIP_CHECK(hipMemcpyHtoD(variable, const_cast<int*>(&offset), sizeof offset));

  int n = 777, step = 3;
  int* data;
  HIP_CHECK(hipMalloc(&data, n * sizeof(int)));
  struct {
    int* data;
    int n, step;
  } packed{data, n, step};
  size_t packed_bytes = sizeof packed;
  void* extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &packed, HIP_LAUNCH_PARAM_BUFFER_SIZE,
                   &packed_bytes, HIP_LAUNCH_PARAM_END};
  HIP_CHECK(hipModuleLaunchKernel(fill, 4, 1, 1, 256, 1, 1, 0, nullptr, nullptr, extra));
  std::vector<int> out(n);
  HIP_CHECK(hipMemcpy(out.data(), data, n * sizeof(int), hipMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i) EXPECT(out[i] == offset + step * i);
  HIP_CHECK(hipModuleUnload(module));

  // A truncated code object is an error, not a crash.
  std::vector<char> broken(200, 0x7f);
  EXPECT(hipModuleLoadData(&module, broken.data()) != hipSuccess);
}
