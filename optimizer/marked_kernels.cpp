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

// "gfx90a" of "gfx90a:xnack-".
std::string processor_of(const std::string& target_id) {
  return target_id.substr(0, target_id.find(':'));
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

  void take_unit(const clang_tool::CompileCommand& command) {
    const auto targets = targets_of(manifest_, command);
    if (targets.empty())
      throw std::runtime_error(command.file +
                               " is compiled for no named architecture; give "
                               "geak_optimize(" +
                               manifest_.target + " ... ARCHITECTURES <arch>)");
    warn_of_unbuilt(command, targets);
    const std::size_t first = found_.kernels.size();
    for (auto& kernel : marked_in_pass(command, targets.front())) {
      kernel.targets = targets;
      // A header's kernel is seen by each unit that includes it, with the same symbol.
      if (seen_.insert(identity_of(kernel)).second) found_.kernels.push_back(std::move(kernel));
    }
    for (auto target = targets.begin() + 1; target != targets.end(); ++target)
      for (auto& there : marked_in_pass(command, *target))
        for (std::size_t at = first; at < found_.kernels.size(); ++at)
          if (identity_of(found_.kernels[at]) == identity_of(there))
            found_.kernels[at].elsewhere.push_back(there);
  }

  static std::string identity_of(const MarkedKernel& kernel) {
    return kernel.kernel.span.file + "\n" + kernel.instantiation.symbol;
  }

  void warn_of_unbuilt(const clang_tool::CompileCommand& command,
                       const std::vector<std::string>& targets) {
    for (const auto& wanted : manifest_.architectures)
      if (std::none_of(targets.begin(), targets.end(), [&](const std::string& target) {
            return processor_of(target) == processor_of(wanted);
          }))
        found_.problems.push_back("geak_optimize(" + manifest_.target + "): ARCHITECTURES " +
                                  wanted + " is not what " + command.file + " is built for");
  }

  std::vector<MarkedKernel> marked_in_pass(const clang_tool::CompileCommand& command,
                                           const std::string& target) {
    clang_tool::ParseOptions options;
    options.architecture = target;
    const auto unit = std::make_shared<clang_tool::TranslationUnit>(
        clang_tool::TranslationUnit::parse(command, clang_tool::Pass::device, options));
    for (const auto& error : unit->errors()) found_.problems.push_back(error);
    std::vector<MarkedKernel> marked;
    for (const auto& kernel : clang_tool::extract_kernels(*unit))
      for (const auto& instantiation : kernel.instantiations) {
        MarkedKernel one{kernel, instantiation, command, target, unit, {}, {}, manifest_.tolerance};
        if (is_marked(one)) marked.push_back(std::move(one));
      }
    return marked;
  }

  bool is_marked(const MarkedKernel& kernel) {
    bool marked = false;
    for (const auto& glob : manifest_.kernels) {
      if (!clang_tool::matches_glob(glob, kernel.full_name()) &&
          !clang_tool::matches_glob(glob, kernel.kernel.name))
        continue;
      matched_.insert(glob);
      marked = true;
    }
    return marked;
  }

  const support::Manifest& manifest_;
  MarkedKernels found_;
  std::set<std::string> matched_, seen_;
};

}  // namespace

std::vector<std::string> targets_of(const support::Manifest& manifest,
                                    const clang_tool::CompileCommand& command) {
  const auto built = clang_tool::architectures(command);
  if (built.empty()) return manifest.architectures;
  std::vector<std::string> targets;
  const auto add = [&](const std::string& target) {
    if (std::find(targets.begin(), targets.end(), target) == targets.end())
      targets.push_back(target);
  };
  for (const auto& named : manifest.architectures)
    for (const auto& target : built)
      if (processor_of(target) == processor_of(named)) add(target);
  for (const auto& target : built) add(target);
  return targets;
}

std::string MarkedKernel::full_name() const { return full_name_of(kernel, instantiation); }

MarkedKernels find_marked_kernels(const support::Manifest& manifest) {
  return Finder(manifest).find();
}

}  // namespace geak::optimizer
