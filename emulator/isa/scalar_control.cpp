// Branches, calls, barriers, messages, waits and the end of a program.
#include <string>

#include "emulator/isa/interpreter.h"
#include "emulator/isa/operation.h"
#include "emulator/isa/program.h"
#include "emulator/isa/scalar_operands.h"
#include "emulator/wave/workgroup.h"

namespace geak::emulator {
namespace {

using u64 = std::uint64_t;

constexpr auto kBranch = InstructionClass::branch;
constexpr auto kSync = InstructionClass::synchronization;
constexpr auto kOther = InstructionClass::other;

// Charge for a jump whose distance is not known.
constexpr std::int64_t kCallCost = 16;

const Instruction* branch(Wave& w, const Instruction* i) {
  return take_branch(w, i + i->target, i->target > 0 ? 1 : 1 - i->target);
}

template <auto condition>
const Instruction* branch_if(Wave& w, const Instruction* i) {
  return condition(w) ? branch(w, i) : i + 1;
}

const Instruction* jump(Wave& w, const Instruction* i, u64 address) {
  const Instruction* target = w.program->at(address);
  if (target == nullptr && w.host != nullptr) target = w.host->find_code(w, address);
  if (target == nullptr)
    return fault(
        w, i, FaultKind::unknown_instruction,
        "jump to " + hexadecimal(address) + ", where no code is loaded: " + describe(w, *i));
  return take_branch(w, target, kCallCost);
}

const Instruction* get_pc(Wave& w, const Instruction* i) {
  w.set_scalar64(i->dst, w.program->address_of(*i) + i->size);
  return i + 1;
}

const Instruction* set_pc(Wave& w, const Instruction* i) {
  return jump(w, i, scalar_u64(w, *i, i->src[0]));
}

const Instruction* swap_pc(Wave& w, const Instruction* i) {
  const u64 target = scalar_u64(w, *i, i->src[0]);
  w.set_scalar64(i->dst, w.program->address_of(*i) + i->size);
  return jump(w, i, target);
}

const Instruction* call(Wave& w, const Instruction* i) {
  w.set_scalar64(i->dst, w.program->address_of(*i) + i->size);
  return branch(w, i);
}

const Instruction* no_operation(Wave&, const Instruction* i) { return i + 1; }

// It is repeated 1 to 16 times (CDNA 2 and 3 ISA manuals, S_NOP).
const Instruction* repeated_no_operation(Wave& w, const Instruction* i) {
  if (w.workgroup != nullptr) {
    const auto cycles = 4 * (static_cast<std::uint32_t>(i->imm) & 15);
    slot_of(w).clock.idle(cycles);
    w.workgroup->memory->counters.idle_cycles += cycles;
  }
  return i + 1;
}

const Instruction* barrier(Wave& w, const Instruction* i) {
  return stop(w, WaveState::at_barrier, i + 1);
}

const Instruction* sleep(Wave& w, const Instruction* i) {
  return stop(w, WaveState::sleeping, i + 1);
}

const Instruction* end_program(Wave& w, const Instruction* i) {
  return stop(w, WaveState::ended, i);
}

const Instruction* send_message(Wave& w, const Instruction* i) {
  if (w.host != nullptr) w.host->send_message(w, static_cast<unsigned>(i->imm) & 0xffff);
  return i + 1;
}

const Instruction* send_message_and_halt(Wave& w, const Instruction* i) {
  send_message(w, i);
  return stop(w, WaveState::ended, i);
}

// With no debugger a trap handler ends the queue with an error; s_trap 1 is reserved for
// breakpoints and s_trap 3 for debug traps, which no debugger handles either.
const Instruction* trap(Wave& w, const Instruction* i) {
  w.trap_id = static_cast<std::uint8_t>(i->imm);
  if (w.trap_id == 3) return i + 1;  // llvm.debugtrap: ignored when no debugger is attached
  return fault(w, i, FaultKind::trap, "the program trapped: " + describe(w, *i));
}

const Instruction* halt(Wave& w, const Instruction* i) {
  if ((i->imm & 1) == 0) return i + 1;
  return fault(w, i, FaultKind::trap, "s_sethalt stops the wave for ever: " + describe(w, *i));
}

void register_branches(OperationTable& t) {
  t.add("s_branch", kBranch, branch);
  t.add("s_cbranch_scc0", kBranch, branch_if<[](const Wave& w) { return w.scc == 0; }>);
  t.add("s_cbranch_scc1", kBranch, branch_if<[](const Wave& w) { return w.scc != 0; }>);
  t.add("s_cbranch_vccz", kBranch, branch_if<[](const Wave& w) { return w.vcc() == 0; }>);
  t.add("s_cbranch_vccnz", kBranch, branch_if<[](const Wave& w) { return w.vcc() != 0; }>);
  t.add("s_cbranch_execz", kBranch, branch_if<[](const Wave& w) { return w.exec() == 0; }>);
  t.add("s_cbranch_execnz", kBranch, branch_if<[](const Wave& w) { return w.exec() != 0; }>);
  // Conditional debug bits are never set: no debugger.
  for (const char* name : {"s_cbranch_cdbgsys", "s_cbranch_cdbguser", "s_cbranch_cdbgsys_or_user",
                           "s_cbranch_cdbgsys_and_user"})
    t.add(name, kBranch, no_operation);
  t.add("s_getpc_b64", kBranch, get_pc);
  t.add("s_setpc_b64", kBranch, set_pc);
  t.add("s_swappc_b64", kBranch, swap_pc);
  t.add("s_call_b64", kBranch, call);
}

}  // namespace

void register_scalar_control(OperationTable& t) {
  register_branches(t);
  t.add("s_barrier", kSync, barrier);
  t.add("s_sleep", kSync, sleep);
  // Memory operations complete in order here, so there is nothing to wait for.
  t.add("s_nop", kSync, repeated_no_operation);
  t.add("s_wakeup", kSync, no_operation);
  for (const char* name :
       {"s_setprio", "s_icache_inv", "s_dcache_inv", "s_dcache_inv_vol", "s_dcache_wb",
        "s_dcache_wb_vol", "buffer_wbl2", "buffer_invl2", "buffer_inv", "buffer_wbinvl1",
        "buffer_wbinvl1_vol", "s_incperflevel", "s_decperflevel", "s_ttracedata"})
    t.add(name, kOther, no_operation);
  t.add("s_sendmsg", kOther, send_message);
  t.add("s_sendmsghalt", kOther, send_message_and_halt);
  t.add("s_trap", kOther, trap);
  t.add("s_sethalt", kOther, halt);
  t.add("s_endpgm", kOther, end_program);
  t.add("s_endpgm_saved", kOther, end_program);
}

}  // namespace geak::emulator
