// ds_gws_*: barriers and semaphores over a whole dispatch.
#include "emulator/wave/global_wave_sync.h"

#include <bit>

#include "emulator/isa/interpreter.h"
#include "emulator/isa/operation.h"
#include "emulator/wave/launch.h"
#include "emulator/wave/workgroup.h"

namespace geak::emulator {
namespace {

constexpr auto kClass = InstructionClass::synchronization;

// The resource is the instruction's offset plus M0's bits 21:16.
unsigned resource_of(const Wave& w, const Instruction* i) {
  return (static_cast<unsigned>(i->imm) + (w.sgpr[kM0] >> 16 & 0x3f)) % GlobalWaveSync::kResources;
}

// The operand is that of the first active lane.
std::uint32_t operand_of(const Wave& w, const Instruction* i) {
  const std::uint64_t mask = w.exec();
  return w.row(i->src[0])[mask ? std::countr_zero(mask) : 0];
}

GlobalWaveSync& unit_of(Wave& w) { return w.workgroup->launch->gws; }

const Instruction* initialize(Wave& w, const Instruction* i) {
  unit_of(w).initialize(resource_of(w, i), operand_of(w, i) + 1);
  return i + 1;
}

const Instruction* barrier(Wave& w, const Instruction* i) {
  WaveSlot& slot = slot_of(w);
  const unsigned resource = resource_of(w, i);
  if (!slot.gws_waiting) {
    if (unit_of(w).arrive(resource, slot.gws_generation)) return i + 1;
    slot.gws_waiting = true;
    return stop(w, WaveState::waiting, i);
  }
  if (!unit_of(w).passed(resource, slot.gws_generation)) return stop(w, WaveState::waiting, i);
  slot.gws_waiting = false;
  return i + 1;
}

const Instruction* release(Wave& w, const Instruction* i) {
  unit_of(w).release(resource_of(w, i), 1);
  return i + 1;
}

const Instruction* release_many(Wave& w, const Instruction* i) {
  unit_of(w).release(resource_of(w, i), operand_of(w, i));
  return i + 1;
}

const Instruction* release_all(Wave& w, const Instruction* i) {
  unit_of(w).release_all(resource_of(w, i));
  return i + 1;
}

const Instruction* acquire(Wave& w, const Instruction* i) {
  if (unit_of(w).acquire(resource_of(w, i), slot_of(w).gws_waiting)) return i + 1;
  return stop(w, WaveState::waiting, i);
}

}  // namespace

void register_global_wave_sync(OperationTable& t) {
  t.add("ds_gws_init", kClass, initialize);
  t.add("ds_gws_barrier", kClass, barrier);
  t.add("ds_gws_sema_v", kClass, release);
  t.add("ds_gws_sema_br", kClass, release_many);
  t.add("ds_gws_sema_release_all", kClass, release_all);
  t.add("ds_gws_sema_p", kClass, acquire);
}

}  // namespace geak::emulator
