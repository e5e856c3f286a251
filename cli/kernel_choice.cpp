#include "cli/kernel_choice.h"

#include <iostream>

#include "clang-tool/kernel_finder.h"
#include "cli/subcommand.h"

namespace geak::cli {

std::vector<ChosenKernel> choose_kernels(const std::string& build, const std::string& glob) {
  std::vector<ChosenKernel> chosen;
  std::string names, problems;
  for (const auto& manifest : support::manifests_of_build(build)) {
    const auto found = optimizer::find_marked_kernels(manifest);
    for (const auto& problem : found.problems) std::cerr << "geak: warning: " << problem << "\n";
    for (const auto& marked : found.kernels) {
      names += (names.empty() ? "" : ", ") + marked.full_name();
      if (clang_tool::matches_glob(glob, marked.full_name()) ||
          clang_tool::matches_glob(glob, marked.kernel.name))
        chosen.push_back({manifest, optimizer::with_key(marked)});
    }
  }
  if (chosen.empty())
    throw UsageError("no marked kernel is named " + glob + "; marked in " + build + ": " +
                     (names.empty() ? "none" : names));
  return chosen;
}

}  // namespace geak::cli
