#pragma once

#include "clang-tool/compile_command.h"

namespace geak::clang_tool {

/// The major version of the clang behind a command's compiler, as it says itself (hipcc says that
/// of its clang). Asked once for each compiler. 0: it says nothing of clang, or cannot be run.
unsigned clang_major_version(const CompileCommand& command);

}  // namespace geak::clang_tool
