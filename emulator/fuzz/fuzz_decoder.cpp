// Machine code of hostile bytes: each must decode, into something that faults if it is no
// instruction.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "emulator/isa/program.h"

namespace {

using namespace geak::emulator;

void require(bool condition) {
  if (!condition) std::abort();
}

// What the interpreter counts on: a handler everywhere, branches that stay inside, an end marker.
void check(const Program& program) {
  const auto instructions = program.instructions();
  require(!instructions.empty() && instructions.back().last);
  for (std::size_t n = 0; n < instructions.size(); ++n) {
    const Instruction& instruction = instructions[n];
    require(instruction.handler != nullptr && instruction.size > 0);
    require(instruction.offset <= program.bytes());
    const std::int64_t target = static_cast<std::int64_t>(n) + instruction.target;
    require(target >= 0 && target < static_cast<std::int64_t>(instructions.size()));
    if (!instruction.last) require(program.at(program.address_of(instruction)) == &instruction);
  }
}

}  // namespace

// The first byte chooses the target, the second how many entries there are, a byte each follows.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const Arch arch = data[0] & 1 ? Arch::gfx942 : Arch::gfx90a;
  const std::size_t count = std::min<std::size_t>(data[1] % 8, size - 2);
  std::vector<std::uint32_t> entries;
  for (std::size_t n = 0; n < count; ++n) entries.push_back(data[2 + n]);
  // A copy of its own size, so that a read beyond the text is seen.
  const std::vector<std::uint8_t> text(data + 2 + count, data + size);
  check(Program(arch, std::as_bytes(std::span(text)), 0x1000, entries));
  return 0;
}
