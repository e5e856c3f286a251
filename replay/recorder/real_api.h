// HIP's own functions behind our hooks.
#pragma once

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

#ifndef __HIP_PLATFORM_AMD__
#define __HIP_PLATFORM_AMD__ 1
#endif
#include <hip/hip_runtime_api.h>

// A function of HIP's that this library stands before.
#define GEAK_HOOK extern "C" __attribute__((visibility("default")))

namespace geak::replay {

// The next definition after ours; a runtime that was opened with RTLD_LOCAL is asked by name.
inline void* find_real(const char* name) {
  if (void* found = ::dlsym(RTLD_NEXT, name)) return found;
  if (void* runtime = ::dlopen("libamdhip64.so.5", RTLD_LAZY | RTLD_NOLOAD)) {
    if (void* found = ::dlsym(runtime, name)) return found;
  }
  return nullptr;
}

// Ends the program where HIP lacks the function: it could not have called it either.
template <typename Function>
Function* real(const char* name) {
  void* found = find_real(name);
  if (!found) {
    std::fprintf(stderr, "geak record: the HIP runtime has no function %s\n", name);
    std::abort();
  }
  return reinterpret_cast<Function*>(found);
}

// GEAK_REAL(hipMalloc)(&pointer, bytes): looked up once.
#define GEAK_REAL(function)                                                           \
  ([] {                                                                               \
    static auto* const found = ::geak::replay::real<decltype(::function)>(#function); \
    return found;                                                                     \
  }())

}  // namespace geak::replay
