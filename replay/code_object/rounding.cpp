#include "replay/code_object/rounding.h"

#include <cstdint>
#include <cstring>

#include "replay/code_object/elf.h"

namespace geak::replay {
namespace {

constexpr std::size_t kRsrc1 = 48;  // offset of compute_pgm_rsrc1 in the descriptor
constexpr unsigned kSingle = 12, kDoubleAndHalf = 14, kField = 3;

}  // namespace

std::optional<std::vector<std::byte>> with_rounding(std::span<const std::byte> file,
                                                    const std::string& kernel, Rounding rounding) {
  for (const auto& symbol : read_elf(file).symbols) {
    if (symbol.name != kernel + ".kd" || symbol.contents.size() < kRsrc1 + 4) continue;
    const auto at = static_cast<std::size_t>(symbol.contents.data() - file.data()) + kRsrc1;
    std::vector<std::byte> changed(file.begin(), file.end());
    std::uint32_t rsrc1 = 0;
    std::memcpy(&rsrc1, changed.data() + at, sizeof rsrc1);
    if (rsrc1 & (kField << kSingle | kField << kDoubleAndHalf)) return std::nullopt;
    const auto mode = static_cast<std::uint32_t>(rounding);
    rsrc1 |= mode << kSingle | mode << kDoubleAndHalf;
    std::memcpy(changed.data() + at, &rsrc1, sizeof rsrc1);
    return changed;
  }
  return std::nullopt;
}

}  // namespace geak::replay
