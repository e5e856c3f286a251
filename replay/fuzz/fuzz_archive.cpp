// Any bytes as an archive, and as a code object: read, or refused with std::runtime_error.
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>

#include "replay/archive/reader.h"
#include "replay/code_object/elf.h"
#include "replay/code_object/kernel_metadata.h"

namespace {

using namespace geak::replay;

void read_archive(std::span<const std::byte> bytes) {
  const auto reader = ArchiveReader::from_bytes({bytes.begin(), bytes.end()}, "fuzz");
  for (const auto& launch : reader.launches()) {
    for (const auto& region : launch.regions) {
      if (region.bytes < (1u << 24)) static_cast<void>(reader.bytes_of(region.before));
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  try {
    read_archive(bytes);
  } catch (const std::runtime_error&) {
  }
  try {
    static_cast<void>(read_kernel_metadata(read_elf(bytes).metadata));
  } catch (const std::runtime_error&) {
  }
  return 0;
}
