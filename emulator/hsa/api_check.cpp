// What the preloaded hooks of geak check tell the checker.
#include "emulator/check/program_calls.h"
#include "emulator/hsa/runtime.h"

using namespace geak::emulator;

extern "C" {

void geak_check_allocated(const char* function, check::Family family, const void* pointer,
                          std::size_t bytes) {
  if (check::Checker* checker = Runtime::active_checker())
    checker->program_allocated(function, family, reinterpret_cast<std::uint64_t>(pointer), bytes);
}

bool geak_check_frees(const char* function, check::Family family, const void* pointer) {
  check::Checker* checker = Runtime::active_checker();
  return !checker ||
         checker->program_frees(function, family, reinterpret_cast<std::uint64_t>(pointer));
}
}
