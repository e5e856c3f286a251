#include "emulator/check/spin_loads.h"

#include <algorithm>
#include <string_view>

#include "emulator/isa/operation.h"

namespace geak::emulator::check {
namespace {

// What waits is short; longer loops do work of which a load is one part.
constexpr std::size_t kMostInstructions = 160;

struct Loop {
  std::size_t first = 0, last = 0;  // the branch back
};

std::string_view name_of(const Instruction& instruction) {
  return instruction.operation ? std::string_view(instruction.operation->mnemonic) : "";
}

bool is_conditional(const Instruction& instruction) {
  return name_of(instruction).starts_with("s_cbranch_");
}

std::size_t target_of(std::size_t at, const Instruction& instruction) {
  return static_cast<std::size_t>(static_cast<std::int64_t>(at) + instruction.target);
}

std::vector<Loop> loops_of(const Program& program) {
  std::vector<Loop> loops;
  const auto instructions = program.instructions();
  for (std::size_t at = 0; at < instructions.size(); ++at) {
    const auto& instruction = instructions[at];
    if (instruction.target >= 0 ||
        (!is_conditional(instruction) && name_of(instruction) != "s_branch")) {
      continue;
    }
    const auto first = target_of(at, instruction);
    if (at - first < kMostInstructions) loops.push_back({first, at});
  }
  return loops;
}

// Whether the branch leaves the loop or goes on with it.
bool decides(const Loop& loop, std::size_t at, const Instruction& instruction) {
  if (!is_conditional(instruction)) return false;
  const auto target = target_of(at, instruction);
  return at == loop.last || target < loop.first || target > loop.last;
}

// Registers that hold what was computed from the load's value.
class Tainted {
 public:
  void add(const RegisterUse& use) {
    for (unsigned n = 0; n < use.count; ++n) registers_.insert(use.first + n);
  }
  bool reads(std::span<const RegisterUse> uses) const {
    return std::ranges::any_of(uses, [&](const RegisterUse& use) {
      if (use.written) return false;
      for (unsigned n = 0; n < use.count; ++n) {
        if (registers_.contains(use.first + n)) return true;
      }
      return false;
    });
  }
  void follow(std::span<const RegisterUse> uses) {
    if (!reads(uses)) return;
    for (const auto& use : uses) {
      if (use.written) add(use);
    }
  }

 private:
  std::set<unsigned> registers_;
};

bool decides_loop(const Program& program, const Loop& loop, std::size_t load,
                  const UsesOf& uses_of) {
  const auto instructions = program.instructions();
  Tainted tainted;
  for (const auto& use : uses_of(instructions[load])) {
    if (use.written) tainted.add(use);
  }
  // The second time for what is carried around.
  for (int round = 0; round < 2; ++round) {
    for (auto at = loop.first; at <= loop.last; ++at) {
      const auto& instruction = instructions[at];
      const auto& uses = uses_of(instruction);
      if (decides(loop, at, instruction)) {
        if (tainted.reads(uses)) return true;
      } else if (!is_conditional(instruction)) {
        tainted.follow(uses);
      }
    }
  }
  return false;
}

}  // namespace

std::set<std::size_t> spin_loads(const Program& program, std::span<const std::size_t> loads,
                                 const UsesOf& uses_of) {
  std::set<std::size_t> found;
  if (loads.empty()) return found;
  const auto loops = loops_of(program);
  for (const auto load : loads) {
    const bool spins = std::ranges::any_of(loops, [&](const Loop& loop) {
      return loop.first <= load && load <= loop.last && decides_loop(program, loop, load, uses_of);
    });
    if (spins) found.insert(load);
  }
  return found;
}

}  // namespace geak::emulator::check
