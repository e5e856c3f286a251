#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "clang-tool/transforms/draft.h"
#include "clang-tool/transforms/seen_launch.h"

namespace clang {
class FunctionDecl;
}

namespace geak::clang_tool {
class TranslationUnit;
}

namespace geak::clang_tool::transforms {

/// Whether the host's conditions hold at the launches seen: a variant that none of them may run is
/// not worth a trial.
class GuardTruths {
 public:
  explicit GuardTruths(const std::vector<SeenLaunch>& seen) : seen_(seen) {}

  /// The kernel whose parameters the guards name; `template_arguments` separated by commas.
  void ask_about(const clang::FunctionDecl& kernel, const std::string& template_arguments);

  /// Those of the guards that are not known yet.
  std::vector<std::string> unknown(const std::vector<const Draft*>& drafts) const;
  /// What is put after the kernel's definition so that clang understands `guards`; empty where that
  /// cannot be told.
  std::string question(const std::vector<std::string>& guards) const;
  /// Takes the answers out of the unit with the question in it.
  void learn(const TranslationUnit& unit, const std::vector<std::string>& guards);
  void give_up(const std::vector<std::string>& guards);

  /// Whether some launch seen may run it, as far as is known (addresses say little of allocations).
  bool may_run(const Draft& draft) const;

 private:
  const std::vector<SeenLaunch>& seen_;
  std::string head_, tail_;  ///< what stands around the guards in the question
  std::map<std::string, std::vector<std::optional<bool>>> truths_;  ///< at each launch seen
};

}  // namespace geak::clang_tool::transforms
