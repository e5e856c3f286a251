// hazardcheck: registers that the kernel's descriptor does not ask for. Hardware reads others there
// and drops what is written; or they are another wave's.
#include <fmt/format.h>

#include <algorithm>

#include "emulator/check/checker.h"
#include "emulator/check/group_state.h"
#include "emulator/wave/launch.h"

namespace geak::emulator::check {
namespace {

// From here on the codes name VCC and other special registers.
constexpr unsigned kScalarRegisters = 102;

struct File {
  const char* name;
  char letter;
  unsigned first;  // operand code
  unsigned count;  // that the kernel has
};

File file_of(const KernelDescriptor& d, std::uint16_t code) {
  const unsigned vectors = std::min(d.accum_offset, d.vgprs);
  if (code >= kAccumulator0) return {"accumulators", 'a', kAccumulator0, d.vgprs - vectors};
  if (is_vector_operand(code)) return {"vector registers", 'v', kVector0, vectors};
  return {"scalar registers", 's', 0, std::min(d.sgprs, kScalarRegisters)};
}

}  // namespace

void Checker::check_allocated(WaveSlot& wave, const Instruction& instruction,
                              const RegisterUse& use) {
  if (!is_vector_operand(use.first) && use.first >= kScalarRegisters) return;
  const File file = file_of(wave.workgroup->launch->descriptor, use.first);
  const unsigned last = use.first - file.first + use.count - 1;
  if (last < file.count || !wanted(wave, instruction, "unallocated_register")) return;
  Finding finding;
  finding.tool = "hazardcheck";
  finding.kind = "unallocated_register";
  finding.message =
      fmt::format("{} of {}{}; the kernel's descriptor asks for {} {}",
                  use.written ? "write" : "read", file.letter, last, file.count, file.name);
  report(wave, instruction, std::move(finding), 0);
}

}  // namespace geak::emulator::check
