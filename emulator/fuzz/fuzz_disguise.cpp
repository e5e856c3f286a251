// The rewriting of device code for the HIP 5 runtime.
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>

#include "emulator/preload/disguise.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    geak::emulator::disguise(std::as_bytes(std::span(data, size)), geak::emulator::Arch::gfx942);
  } catch (const std::runtime_error&) {
    // A compressed bundle that cannot be read: the message that its caller shows.
  }
  return 0;
}
