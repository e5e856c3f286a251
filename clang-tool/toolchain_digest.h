#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "clang-tool/compile_command.h"

namespace geak::clang_tool {

/// The files whose bytes decide what a command compiles device code to: clang and its LLVM
/// libraries, the device bitcode that it links, lld. Taken from what the compiler itself says that
/// it would run (`-###`), so it sees through hipcc and all defaults. Sorted real paths. Throws
/// std::runtime_error where the compiler cannot be asked or says nothing of device code.
std::vector<std::filesystem::path> toolchain_files(const CompileCommand& command,
                                                   const std::string& target_id);

/// SHA-256 (hex) over the names and bytes of `files`. `cache` (a file; empty: none) remembers
/// digests by inode, size and time; one that cannot be read or written is done without.
std::string digest_of_files(const std::vector<std::filesystem::path>& files,
                            const std::filesystem::path& cache);

}  // namespace geak::clang_tool
