// The rewriting of offload bundles for gfx942.
#include <cstddef>
#include <cstdint>
#include <span>

#include "emulator/preload/disguise.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  geak::emulator::disguise_gfx942(std::as_bytes(std::span(data, size)));
  return 0;
}
