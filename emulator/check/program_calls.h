// The C interface by which a preloaded library (emulator/preload/check_hooks.cpp) tells the checker
// of the program's own calls of the HIP API. The emulator's HSA library exports it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "emulator/check/program_memory.h"

extern "C" {

// After a call of `function` that succeeded.
void geak_check_allocated(const char* function, geak::emulator::check::Family family,
                          const void* pointer, std::size_t bytes);

// Before a call of `function`. False: the call is a fault, which was reported, and must not be
// done.
bool geak_check_frees(const char* function, geak::emulator::check::Family family,
                      const void* pointer);
}
