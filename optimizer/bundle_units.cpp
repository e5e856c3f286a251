#include "optimizer/bundle_units.h"

#include <algorithm>
#include <stdexcept>

#include "clang-tool/user_files.h"
#include "support/atomic_file.h"
#include "worker/bundle_json.h"

namespace geak::optimizer {
namespace {

namespace fs = std::filesystem;

bool same(const clang_tool::CompileCommand& a, const clang_tool::CompileCommand& b) {
  return a.file == b.file && a.arguments == b.arguments;
}

fs::path common_folder(const fs::path& a, const fs::path& b) {
  fs::path common;
  for (auto x = a.begin(), y = b.begin(); x != a.end() && y != b.end() && *x == *y; ++x, ++y)
    common /= *x;
  return common;
}

// Values of -I and -iquote, absolute.
std::vector<fs::path> include_folders(const clang_tool::CompileCommand& command) {
  std::vector<fs::path> folders;
  for (std::size_t i = 1; i < command.arguments.size(); ++i) {
    for (const std::string option : {"-I", "-iquote"}) {
      const auto& argument = command.arguments[i];
      if (!argument.starts_with(option)) continue;
      std::string value = argument.substr(option.size());
      if (value.empty() && i + 1 < command.arguments.size()) value = command.arguments[i + 1];
      folders.push_back((command.directory / fs::path(value)).lexically_normal());
    }
  }
  return folders;
}

// CMake's HIP targets define these for AMD's runtime.
bool names_the_platform(const std::string& option) {
  return option.find("__HIP_PLATFORM_") != std::string::npos ||
         option.find("__HIP_ROCclr__") != std::string::npos || option == "-DUSE_PROF_API=1";
}

std::string standard_of(const std::string& option) {
  const auto plus = option.find("++");
  if (!option.starts_with("-std=") || plus == std::string::npos) return "";
  const auto version = option.substr(plus + 2);
  if (version == "2a" || version == "2b" || version == "20" || version == "23") return "-std=c++20";
  return version == "11" || version == "14" || version == "17" ? "-std=c++" + version
                                                               : "-std=c++17";
}

}  // namespace

std::vector<std::string> nvcc_options(const clang_tool::CompileCommand& command) {
  std::vector<std::string> options;
  std::string standard = "-std=c++17";
  for (std::size_t i = 1; i < command.arguments.size(); ++i) {
    std::string argument = command.arguments[i];
    if ((argument == "-D" || argument == "-U") && i + 1 < command.arguments.size())
      argument += command.arguments[++i];
    if ((argument.starts_with("-D") || argument.starts_with("-U")) && !names_the_platform(argument))
      options.push_back(argument);
    if (const auto found = standard_of(argument); !found.empty()) standard = found;
    if (argument == "-ffast-math" || argument == "-Ofast") options.emplace_back("--use_fast_math");
    if (argument == "-ffp-contract=off") options.emplace_back("--fmad=false");
  }
  options.push_back(standard);
  return options;
}

void BundleUnits::add(const clang_tool::TranslationUnit& host) {
  for (const auto& source : sources_)
    if (same(source.command, host.command())) return;
  sources_.push_back({host.command(), clang_tool::user_files(host)});
}

fs::path BundleUnits::root() const {
  fs::path common;
  for (const auto& source : sources_)
    for (const auto& file : source.files) {
      const auto folder = fs::path(file).parent_path();
      common = common.empty() ? folder : common_folder(common, folder);
    }
  return common;
}

std::string BundleUnits::path_of(const fs::path& file) const {
  const auto path = file.lexically_normal().lexically_relative(root()).generic_string();
  return worker::is_safe_path(path) ? path : "";
}

std::size_t BundleUnits::index_of(const clang_tool::CompileCommand& command) const {
  for (std::size_t i = 0; i < sources_.size(); ++i)
    if (same(sources_[i].command, command)) return i;
  throw std::logic_error("a unit was not added: " + command.file);
}

void BundleUnits::finish(worker::Bundle& bundle) const {
  const auto common = root();
  if (common.empty() || common == common.root_path())
    throw std::runtime_error("the sources to bundle have no folder in common");
  for (const auto& source : sources_) {
    for (const auto& file : source.files)
      if (const auto path = path_of(file); !path.empty() && !bundle.files.contains(path))
        bundle.files[path] = support::read_file(file).value_or("");
    worker::Unit unit;
    unit.main = path_of(source.command.file);
    unit.options = nvcc_options(source.command);
    for (const auto& folder : include_folders(source.command)) {
      if (folder == common) unit.includes.emplace_back(".");
      if (const auto path = path_of(folder); !path.empty()) unit.includes.push_back(path);
    }
    bundle.units.push_back(std::move(unit));
  }
}

}  // namespace geak::optimizer
