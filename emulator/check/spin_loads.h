// Loads that a wave repeats until another one has stored what it waits for.
#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <span>
#include <vector>

#include "emulator/isa/disassembler.h"
#include "emulator/isa/program.h"

namespace geak::emulator::check {

using UsesOf = std::function<const std::vector<RegisterUse>&(const Instruction&)>;

// Of `loads` (numbers of instructions of the program), those whose value decides whether a loop
// around them goes on: a conditional branch of that loop reads what was computed from it.
std::set<std::size_t> spin_loads(const Program& program, std::span<const std::size_t> loads,
                                 const UsesOf& uses_of);

}  // namespace geak::emulator::check
