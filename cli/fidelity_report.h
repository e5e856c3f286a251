// `geak run --fidelity`: how exactly the emulator executes what a program executed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace geak::cli {

struct ExecutedInstruction {
  std::string name;            // "v_add_f32"
  std::string fidelity;        // "exact", "approximate", "refused", "missing"
  std::string note;            // the bound, or why
  std::uint64_t executed = 0;  // by waves
};

// The files that the emulator wrote for GEAK_EMU_FIDELITY=`prefix`, one a process, added up and
// removed. Sorted: what is not exact first, then by name. Throws std::runtime_error for a file that
// is none of its.
std::vector<ExecutedInstruction> collect_fidelity(const std::filesystem::path& prefix);

std::string fidelity_text(const std::vector<ExecutedInstruction>& instructions);

}  // namespace geak::cli
