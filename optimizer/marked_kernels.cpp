#include "optimizer/marked_kernels.h"

#include <algorithm>
#include <set>
#include <stdexcept>

#include "clang-tool/kernel_finder.h"

namespace geak::optimizer {
namespace {

std::string full_name_of(const clang_tool::Kernel& kernel,
                         const clang_tool::Instantiation& instantiation) {
  if (instantiation.template_arguments.empty()) return kernel.name;
  std::string name = kernel.name + "<";
  const char* separator = "";
  for (const auto& argument : instantiation.template_arguments) {
    name += separator + argument;
    separator = ", ";
  }
  return name + ">";
}

class Finder {
 public:
  explicit Finder(const support::Manifest& manifest) : manifest_(manifest) {}

  MarkedKernels find() {
    const auto commands = clang_tool::read_compile_commands(manifest_.build);
    for (const auto& source : manifest_.sources) look_into(source, commands);
    for (const auto& glob : manifest_.kernels)
      if (!matched_.contains(glob)) found_.unmatched.push_back(glob);
    return std::move(found_);
  }

 private:
  void look_into(const support::ManifestSource& source,
                 const std::vector<clang_tool::CompileCommand>& commands) {
    const auto own = clang_tool::commands_for(commands, source.path);
    if (own.empty()) {
      found_.problems.push_back(source.path.string() + " is in no compile command of " +
                                manifest_.build.string() + "; configure the project again");
      return;
    }
    const auto& command = command_of_target(own);
    if (!clang_tool::is_hip(command)) return;
    try {
      take_unit(command);
    } catch (const std::runtime_error& error) {
      found_.problems.push_back(error.what());
    }
  }

  // A source may be compiled for several targets; this one's command names its object folder.
  const clang_tool::CompileCommand& command_of_target(
      const std::vector<clang_tool::CompileCommand>& all) const {
    const std::string folder = "CMakeFiles/" + manifest_.target + ".dir/";
    for (const auto& command : all)
      for (const auto& argument : command.arguments)
        if (argument.find(folder) != std::string::npos) return command;
    return all.front();
  }

  std::string target_id_for(const clang_tool::CompileCommand& command) const {
    if (!manifest_.architectures.empty()) return manifest_.architectures.front();
    const auto built = clang_tool::architectures(command);
    if (built.empty())
      throw std::runtime_error(command.file +
                               " is compiled for no named architecture; give "
                               "geak_optimize(" +
                               manifest_.target + " ... ARCHITECTURES <arch>)");
    return built.front();
  }

  void take_unit(const clang_tool::CompileCommand& command) {
    clang_tool::ParseOptions options;
    options.architecture = target_id_for(command);
    const auto unit = std::make_shared<clang_tool::TranslationUnit>(
        clang_tool::TranslationUnit::parse(command, clang_tool::Pass::device, options));
    for (const auto& error : unit->errors()) found_.problems.push_back(error);
    for (const auto& kernel : clang_tool::extract_kernels(*unit))
      for (const auto& instantiation : kernel.instantiations)
        take({kernel, instantiation, command, options.architecture, unit});
  }

  void take(MarkedKernel kernel) {
    bool marked = false;
    for (const auto& glob : manifest_.kernels) {
      if (!clang_tool::matches_glob(glob, kernel.full_name()) &&
          !clang_tool::matches_glob(glob, kernel.kernel.name))
        continue;
      matched_.insert(glob);
      marked = true;
    }
    // A header's kernel is seen by each unit that includes it, with the same symbol.
    if (marked && seen_.insert(kernel.kernel.span.file + "\n" + kernel.instantiation.symbol).second)
      found_.kernels.push_back(std::move(kernel));
  }

  const support::Manifest& manifest_;
  MarkedKernels found_;
  std::set<std::string> matched_, seen_;
};

}  // namespace

std::string MarkedKernel::full_name() const { return full_name_of(kernel, instantiation); }

MarkedKernels find_marked_kernels(const support::Manifest& manifest) {
  return Finder(manifest).find();
}

}  // namespace geak::optimizer
