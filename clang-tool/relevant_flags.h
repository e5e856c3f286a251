#pragma once

#include <string>
#include <vector>

#include "clang-tool/compile_command.h"

namespace geak::clang_tool {

/// The options of a command that can change the device code beyond what the source says: without
/// inputs and outputs, dependency files, warnings, diagnostics, linking, architectures (a key's
/// part of their own), include paths and macros (what they change is seen in the source that they
/// give).
std::vector<std::string> relevant_flags(const CompileCommand& command);

}  // namespace geak::clang_tool
