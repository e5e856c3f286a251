#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace geak::clang_tool {

/// One entry of compile_commands.json, as the user's build runs it (launchers such as ccache taken
/// off).
struct CompileCommand {
  std::string file;                    ///< absolute path, as spelled by the build
  std::string directory;               ///< absolute; where the compiler runs
  std::vector<std::string> arguments;  ///< arguments[0] is the compiler
};

/// Reads `<build>/compile_commands.json`. Throws std::runtime_error naming the path and the remedy
/// where there is none or it cannot be read.
std::vector<CompileCommand> read_compile_commands(const std::filesystem::path& build);

/// The commands of `commands` that compile `file` (compared by real path).
std::vector<CompileCommand> commands_for(const std::vector<CompileCommand>& commands,
                                         const std::filesystem::path& file);

/// Whether the command compiles HIP: told by the command (`-x hip`, hipcc), then by the file's
/// extension, since `hip::device` puts kernels into .cpp files of language CXX.
bool is_hip(const CompileCommand& command);

/// True where the compiler is hipcc, which adds options of its own.
bool is_hipcc(const CompileCommand& command);

/// The target ids that the command compiles for (`gfx90a`, `gfx90a:xnack-`), in order, each once;
/// empty where the command leaves the choice to the compiler.
std::vector<std::string> architectures(const CompileCommand& command);

enum class Pass { host, device };

/// The command as a command line of clang 19 that parses one pass: options that no parser needs, or
/// that clang 19 does not know, are left out; HIP's headers and clang's own are made findable.
/// `architecture` is the device pass's target id; empty: the command's first, else the compiler's
/// default. Throws std::runtime_error where HIP's headers or clang 19's cannot be found.
std::vector<std::string> parser_arguments(const CompileCommand& command, Pass pass,
                                          const std::string& architecture = {});

/// Root of the HIP installation that the command uses: the folder with include/hip/hip_runtime.h.
/// Throws std::runtime_error naming the places that were looked at.
std::filesystem::path hip_root(const CompileCommand& command);

}  // namespace geak::clang_tool
