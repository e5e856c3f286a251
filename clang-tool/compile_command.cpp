#include "clang-tool/compile_command.h"

#include <clang/Tooling/CompilationDatabase.h>
#include <clang/Tooling/JSONCompilationDatabase.h>

#include <llvm/Support/VirtualFileSystem.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>

namespace geak::clang_tool {
namespace fs = std::filesystem;
namespace {

fs::path real_path(const fs::path& path) {
  std::error_code ignored;
  fs::path real = fs::weakly_canonical(path, ignored);
  return ignored ? path.lexically_normal() : real;
}

CompileCommand from_clang(clang::tooling::CompileCommand command) {
  fs::path directory = fs::absolute(command.Directory);
  return {.file = (directory / command.Filename).lexically_normal().string(),
          .directory = directory.string(),
          .arguments = std::move(command.CommandLine)};
}

/// The language of the last `-x` before the file, or empty.
std::string explicit_language(const std::vector<std::string>& arguments) {
  std::string language;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    if (argument == "-x" && i + 1 < arguments.size())
      language = arguments[++i];
    else if (argument.starts_with("-x") && argument.size() > 2)
      language = argument.substr(2);
  }
  return language;
}

bool is_cpp_extension(const std::string& extension) {
  for (const char* known : {".cpp", ".cxx", ".cc", ".C", ".cu", ".cuh"})
    if (extension == known) return true;
  return false;
}

void add_targets(std::string_view list, std::vector<std::string>& targets) {
  while (!list.empty()) {
    const auto comma = std::min(list.find(','), list.size());
    std::string target(list.substr(0, comma));
    if (!target.empty() && std::ranges::find(targets, target) == targets.end())
      targets.push_back(std::move(target));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
}

}  // namespace

std::vector<CompileCommand> read_compile_commands(const fs::path& build) {
  const fs::path path = fs::is_directory(build) ? build / "compile_commands.json" : build;
  if (!fs::exists(path))
    throw std::runtime_error(path.string() +
                             " does not exist; configure the project with "
                             "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON (Ninja or Makefiles)");
  std::string problem;
  auto database = clang::tooling::JSONCompilationDatabase::loadFromFile(
      path.string(), problem, clang::tooling::JSONCommandLineSyntax::Gnu);
  if (!database)
    throw std::runtime_error(path.string() + " cannot be read: " + problem +
                             "; configure the project again");
  auto expanded =
      clang::tooling::expandResponseFiles(std::move(database), llvm::vfs::getRealFileSystem());
  std::vector<CompileCommand> commands;
  for (auto& command : expanded->getAllCompileCommands())
    commands.push_back(from_clang(std::move(command)));
  return commands;
}

std::vector<CompileCommand> commands_for(const std::vector<CompileCommand>& commands,
                                         const fs::path& file) {
  const fs::path wanted = real_path(file);
  std::vector<CompileCommand> found;
  for (const CompileCommand& command : commands)
    if (real_path(command.file) == wanted) found.push_back(command);
  return found;
}

bool is_hipcc(const CompileCommand& command) {
  return !command.arguments.empty() &&
         fs::path(command.arguments.front()).filename().string().starts_with("hipcc");
}

bool is_hip(const CompileCommand& command) {
  if (const std::string language = explicit_language(command.arguments); !language.empty())
    return language == "hip";
  const std::string extension = fs::path(command.file).extension().string();
  return extension == ".hip" || (is_hipcc(command) && is_cpp_extension(extension));
}

std::vector<std::string> architectures(const CompileCommand& command) {
  constexpr std::string_view options[] = {
      "--offload-arch=", "--amdgpu-target=", "--cuda-gpu-arch="};
  std::vector<std::string> targets;
  for (std::size_t i = 1; i < command.arguments.size(); ++i) {
    const std::string_view argument = command.arguments[i];
    if (argument == "--offload-arch" && i + 1 < command.arguments.size())
      add_targets(command.arguments[++i], targets);
    for (const auto& option : options)
      if (argument.starts_with(option)) add_targets(argument.substr(option.size()), targets);
    if (argument.starts_with("--no-offload-arch="))
      std::erase(targets, argument.substr(std::string_view("--no-offload-arch=").size()));
  }
  return targets;
}

}  // namespace geak::clang_tool
