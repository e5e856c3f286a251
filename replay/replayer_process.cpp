#include "replay/replayer_process.h"

#include <fstream>

#include "support/install_paths.h"
#include "support/scratch_folder.h"

namespace geak::replay {

support::ChildResult run_replayer(
    const std::vector<std::string>& options, const std::string& spec, const TrialLimits& limits,
    const std::vector<std::pair<std::string, std::optional<std::string>>>& environment) {
  const support::ScratchFolder scratch("geak-trial");
  const auto spec_file = scratch.path() / "spec.json";
  std::ofstream(spec_file) << spec << '\n';
  support::ChildOptions child;
  child.command = {(support::InstallPaths::of_this_program().bin / "geak-replay").string()};
  child.command.insert(child.command.end(), options.begin(), options.end());
  child.command.push_back(std::filesystem::absolute(spec_file).string());
  child.environment = environment;
  child.own_temporaries = true;
  child.timeout = limits.time;
  child.address_space_bytes = limits.memory_bytes;
  child.file_bytes = limits.file_bytes;
  return support::run_child(child);
}

}  // namespace geak::replay
