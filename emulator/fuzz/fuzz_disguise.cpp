// The rewriting of device code for the HIP 5 runtime, and the look at what it would be given.
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>

#include "emulator/preload/code_check.h"
#include "emulator/preload/disguise.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto image = std::as_bytes(std::span(data, size));
  try {
    geak::emulator::disguise(image, geak::emulator::Arch::gfx942);
  } catch (const std::runtime_error&) {
    // A compressed bundle that cannot be read: the message that its caller shows.
  }
  try {
    geak::emulator::check_code(image, "gfx90a");
  } catch (const std::runtime_error&) {
    // What the program is told.
  }
  return 0;
}
