// Whether the HIP 5 runtime can load an image at all.
#pragma once

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string_view>

namespace geak::emulator {

// No code object in an otherwise sound bundle is for the device.
struct NoCodeForDevice : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Looks at an offload bundle, or a code object alone, of which `image` is all there is. The runtime
// follows offsets, names and kinds of metadata unseen, and ends the process where one is wrong or
// nothing in a bundle is for its device; a program that loads a module is to get an error instead.
// `processor`: of the device, as the runtime knows it ("gfx90a"). Throws NoCodeForDevice, and
// std::runtime_error that says what is wrong.
void check_code(std::span<const std::byte> image, std::string_view processor);

}  // namespace geak::emulator
