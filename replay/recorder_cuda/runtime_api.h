// The part of the CUDA runtime that the recorder stands before, declared here: geak is built where
// there is no CUDA. Signatures are those of cuda_runtime_api.h and crt/host_runtime.h (CUDA 12,
// 13).
#pragma once

#include <dlfcn.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>

#define GEAK_HOOK extern "C" __attribute__((visibility("default")))

namespace geak::replay::cuda {

using Status = int;  // cudaError_t; 0: success

struct Dim3 {
  unsigned x = 1, y = 1, z = 1;
};

struct LaunchConfig {  // cudaLaunchConfig_t
  Dim3 grid, block;
  std::size_t shared;
  void* stream;
  void* attributes;
  unsigned attribute_count;
};

// The next definition after ours: libcudart.so, which the program must link (nvcc -cudart shared).
inline void* find_real(const char* name) { return ::dlsym(RTLD_NEXT, name); }

// Ends the program where the runtime lacks the function: it could not have called it either.
template <typename Function>
Function* real(const char* name) {
  void* found = find_real(name);
  if (!found) {
    std::fprintf(stderr, "geak record: the CUDA runtime has no function %s\n", name);
    std::abort();
  }
  return reinterpret_cast<Function*>(found);
}

}  // namespace geak::replay::cuda
