// s_waitcnt. Memory operations complete at once here, so it only counts when hardware would wait.
#include <algorithm>

#include "emulator/isa/operation.h"
#include "emulator/wave/workgroup.h"

namespace geak::emulator {
namespace {

const Instruction* wait(Wave& w, const Instruction* i) {
  if (w.workgroup == nullptr) return i + 1;
  WaveSlot& slot = slot_of(w);
  MemoryCounters& counters = w.workgroup->memory->counters;
  // VMCNT in bits 15:14 and 3:0, LGKMCNT in bits 11:8 (ISA manuals, S_WAITCNT).
  const auto bits = static_cast<std::uint32_t>(i->imm);
  const std::uint32_t vector = (bits & 0xf) | (bits >> 14 & 3) << 4, local = bits >> 8 & 0xf;
  if (slot.outstanding_vector > vector) {
    // Loads that were issued together arrive together: only the first wait for them counts.
    counters.vector_waits += slot.outstanding_vector > slot.waited_vector;
    slot.outstanding_vector = slot.waited_vector = vector;
    counters.vector_stall_cycles += slot.clock.wait_vector(cycles_of(slot), vector);
  }
  if (slot.outstanding_lds + slot.outstanding_scalar > local) {
    if (slot.outstanding_scalar > 0) {
      ++counters.scalar_waits;
      counters.scalar_stall_cycles += slot.clock.wait_scalar(cycles_of(slot));
    } else {
      ++counters.lds_waits;
    }
    counters.lds_stall_cycles += slot.clock.wait_lds(cycles_of(slot), local);
    slot.outstanding_scalar = 0;
    slot.outstanding_lds = std::min(slot.outstanding_lds, local);
  }
  return i + 1;
}

}  // namespace

void register_waits(OperationTable& t) {
  t.add("s_waitcnt", InstructionClass::synchronization, wait);
}

}  // namespace geak::emulator
