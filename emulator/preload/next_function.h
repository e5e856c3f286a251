// For preloaded libraries: the function that a hook stands before.
#pragma once

#include <dlfcn.h>

namespace geak::emulator {

// Looked up at the first call: fat binaries register, and static initialisers of the program call
// HIP, before a preloaded library's constructors need have run.
template <typename Function>
Function next_function(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace geak::emulator
