#include "optimizer/device_arguments.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace geak::optimizer {
namespace {

// Options that stand alone.
constexpr std::array<std::string_view, 25> kAlone = {"-c",
                                                     "-S",
                                                     "-E",
                                                     "-M",
                                                     "-MM",
                                                     "-MD",
                                                     "-MMD",
                                                     "-MP",
                                                     "-MG",
                                                     "-MV",
                                                     "-fsyntax-only",
                                                     "-emit-llvm",
                                                     "-save-temps",
                                                     "--save-temps",
                                                     "-fgpu-rdc",
                                                     "-fno-gpu-rdc",
                                                     "--cuda-host-only",
                                                     "--cuda-device-only",
                                                     "--cuda-compile-host-device",
                                                     "--offload-host-only",
                                                     "--offload-device-only",
                                                     "--offload-host-device",
                                                     "--gpu-bundle-output",
                                                     "--no-gpu-bundle-output",
                                                     "--offload-compress"};
// Options with a value, joined or as the next argument.
constexpr std::array<std::string_view, 5> kWithValue = {"-o", "-MF", "-MT", "-MQ", "-MJ"};
// Options that are all value after the prefix.
constexpr std::array<std::string_view, 7> kPrefixes = {
    "--offload-arch=",  "--no-offload-arch=", "--cuda-gpu-arch=", "--no-cuda-gpu-arch=",
    "--amdgpu-target=", "-save-temps=",       "--save-temps="};
constexpr std::array<std::string_view, 3> kArchitectureWithNext = {
    "--offload-arch", "--cuda-gpu-arch", "--amdgpu-target"};

template <class List>
bool is_one_of(std::string_view argument, const List& list) {
  return std::find(list.begin(), list.end(), argument) != list.end();
}

template <class List>
bool starts_with_one_of(std::string_view argument, const List& list) {
  return std::any_of(list.begin(), list.end(),
                     [&](std::string_view prefix) { return argument.starts_with(prefix); });
}

// "-Werror" turns a new diagnostic of a generated variant into a failure in the real build too, so
// it stays; "-object..." and the like are no "-o".
bool joins_value(std::string_view argument) {
  for (const std::string_view option : kWithValue)
    if (argument.size() > option.size() && argument.starts_with(option))
      return option != "-o" || argument.find('.') != std::string_view::npos ||
             argument.find('/') != std::string_view::npos;
  return false;
}

}  // namespace

std::vector<std::string> device_arguments(const clang_tool::CompileCommand& command,
                                          const std::string& target_id,
                                          const std::vector<std::string>& more,
                                          const std::filesystem::path& output) {
  const auto& given = command.arguments;
  std::vector<std::string> out;
  if (!given.empty()) out.push_back(given[0]);
  // Before everything else: what follows "--" is taken for files.
  for (const char* option : {"-c", "--cuda-device-only", "--no-gpu-bundle-output", "-fno-gpu-rdc"})
    out.push_back(option);
  out.push_back("--offload-arch=" + target_id);
  out.push_back("-o");
  out.push_back(output.string());
  out.insert(out.end(), more.begin(), more.end());
  for (std::size_t at = 1; at < given.size(); ++at) {
    const std::string& argument = given[at];
    if (is_one_of(argument, kWithValue) || is_one_of(argument, kArchitectureWithNext)) {
      ++at;
      continue;
    }
    if (is_one_of(argument, kAlone) || starts_with_one_of(argument, kPrefixes) ||
        joins_value(argument))
      continue;
    out.push_back(argument);
  }
  return out;
}

}  // namespace geak::optimizer
