#pragma once

#include <map>
#include <string>
#include <vector>

#include "clang-tool/guard_reader.h"
#include "clang-tool/swap.h"

namespace geak::clang_tool {

/// What `name` (of a variable with an initial value, in an instantiation where there are some) is
/// initialised with, for each of the names that the unit has.
std::map<std::string, GuardReading> read_variables(const TranslationUnit& unit,
                                                   const std::vector<std::string>& names);

/// The guards of `variants` as the rewritten unit evaluates them, by the variant's name: those that
/// have one and were swapped in. Throws std::runtime_error where the rewritten unit cannot be
/// parsed. `preamble`: of the unit's host pass, as in ParseOptions.
std::map<std::string, GuardReading> read_guards(const CompileCommand& command,
                                                const Rewriting& rewriting,
                                                const std::vector<Variant>& variants,
                                                Preamble* preamble = nullptr);

}  // namespace geak::clang_tool
