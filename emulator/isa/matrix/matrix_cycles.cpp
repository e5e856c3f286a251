#include <algorithm>

#include "emulator/isa/matrix/matrix_types.h"

namespace geak::emulator {
namespace {

std::uint64_t operations_per_cycle(Arch arch, const MatrixWork& work) {
  if (work.xf32) return 256;
  if (work.bits >= 32) return 64;
  if (work.slow_brain_float) return 128;
  if (arch == Arch::gfx90a) return 256;
  // Instructions of several blocks kept the rate of gfx90a (LLVM's scheduling model).
  if (work.blocks > 1) return 256;
  return work.bits == 16 ? 512 : 1024;
}

}  // namespace

std::uint32_t matrix_cycles(Arch arch, const MatrixWork& work) {
  const std::uint64_t least = work.bits == 64 ? 16 : 8;
  return static_cast<std::uint32_t>(
      std::max(work.operations / operations_per_cycle(arch, work), least));
}

}  // namespace geak::emulator
