// The sources that `geak trial` is given: compiled, and looked at before anything runs.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/trial_compile.h"
#include "replay/gates/static_gates.h"

namespace geak::cli {

bool is_hip_source(const std::filesystem::path& file);

// A source becomes a code object at `output`; anything else is one already. Throws UsageError for
// a missing file, CompileError where it does not compile.
std::filesystem::path code_object_of(const std::filesystem::path& file,
                                     const TrialCompiler& compiler,
                                     const std::filesystem::path& output);

// Types of a kernel's parameters, which decide what of a buffer must be exact: as the symbol spells
// them, else as the first of `sources` that defines the kernel does. Empty where neither tells.
std::vector<std::string> parameter_types(const std::string& symbol,
                                         const std::vector<std::filesystem::path>& sources,
                                         const TrialCompiler& compiler);

// Whether the candidate's source holds what no candidate may; `original` empty: not known as
// source. Throws as above.
std::optional<replay::Refusal> check_source(const std::filesystem::path& candidate,
                                            const std::filesystem::path& original,
                                            const TrialCompiler& compiler);

}  // namespace geak::cli
