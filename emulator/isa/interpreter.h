// Executes decoded instructions.
#pragma once

#include <cstdint>
#include <string>

#include "emulator/wave/wave.h"

namespace geak::emulator {

// Runs the wave from wave.pc until it blocks, ends, faults or has used up `quantum` instructions
// (checked at taken branches). wave.state says which; wave.pc is where to go on.
void run_wave(Wave& wave, std::int64_t quantum);

// One instruction, counted, as run_wave() would execute it: for tools that look at each. Returns
// what its handler returns; after nullptr the wave goes on at wave.pc if its state is still
// running.
const Instruction* execute_one(Wave& wave, const Instruction* instruction);

// A handler that goes to `target` ends with this: it returns `target`, or stops the wave there when
// the quantum is used up. `cost`: instructions to charge.
inline const Instruction* take_branch(Wave& wave, const Instruction* target, std::int64_t cost) {
  wave.quantum -= cost;
  if (wave.quantum > 0) return target;
  wave.pc = target;
  return nullptr;
}

// Stops the wave with `state`, to go on at `next`.
inline const Instruction* stop(Wave& wave, WaveState state, const Instruction* next) {
  wave.state = state;
  wave.pc = next;
  return nullptr;
}

// "0x1f"
std::string hexadecimal(std::uint64_t value);

// "v_add_f32_e32 v0, v1, v2 at 0x7f...": for messages.
std::string describe(const Wave& wave, const Instruction& instruction);

// Handlers of what cannot be executed.
const Instruction* execute_undecodable(Wave& wave, const Instruction* instruction);
const Instruction* execute_unfit_operands(Wave& wave, const Instruction* instruction);
const Instruction* execute_unimplemented(Wave& wave, const Instruction* instruction);
const Instruction* execute_refused(Wave& wave, const Instruction* instruction);
const Instruction* execute_wild_branch(Wave& wave, const Instruction* instruction);
const Instruction* execute_past_end(Wave& wave, const Instruction* instruction);

}  // namespace geak::emulator
