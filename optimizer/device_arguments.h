// The user's own compile command, made into one that yields the device code object alone.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "clang-tool/compile_command.h"

namespace geak::optimizer {

// `command` keeps its compiler and every flag that can change the code; what names outputs,
// dependency files, other architectures and the host pass is taken off. The result compiles
// `command.file` for `target_id` alone ("gfx90a", "gfx90a:xnack-") into the AMDGPU ELF `output`,
// no bundle around it. `more` goes before the source (an overlay, a definition). Relocatable device
// code (-fgpu-rdc) is turned off: a unit that needs another unit's device functions then fails to
// link, which the caller reports.
std::vector<std::string> device_arguments(const clang_tool::CompileCommand& command,
                                          const std::string& target_id,
                                          const std::vector<std::string>& more,
                                          const std::filesystem::path& output);

}  // namespace geak::optimizer
