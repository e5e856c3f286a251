#include "optimizer/candidate_source.h"

#include <stdexcept>

#include "clang-tool/guards_of_unit.h"
#include "clang-tool/swap.h"

namespace geak::optimizer {

support::LaunchChange CandidateSource::launch_of(const clang_tool::Variant& variant) const {
  return with_guard(variant, guards);
}

support::LaunchChange with_guard(const clang_tool::Variant& variant,
                                 const std::map<std::string, clang_tool::GuardReading>& guards) {
  auto launch = variant.launch;
  launch.guard.reset();
  if (variant.guard.empty()) return launch;
  const auto found = guards.find(variant.name);
  if (found == guards.end() || !found->second.expression)
    throw std::runtime_error("its guard cannot be judged: " + (found == guards.end()
                                                                   ? "the unit does not evaluate it"
                                                                   : found->second.problem));
  launch.guard = found->second.expression;
  return launch;
}

CandidateSource write_candidate_overlay(const clang_tool::TranslationUnit& host,
                                        const MarkedKernel& kernel,
                                        const std::vector<clang_tool::Variant>& variants,
                                        const std::filesystem::path& folder,
                                        clang_tool::Preamble* preamble) {
  std::vector<clang_tool::ChosenVariant> chosen;
  for (const auto& variant : variants)
    chosen.push_back({kernel.kernel.name, kernel.instantiation.symbol, variant});
  const auto rewriting = clang_tool::rewrite(host, chosen);
  if (rewriting.swapped.size() < variants.size()) {
    std::string reason = "no launch of " + kernel.full_name() + " can be rewritten";
    for (const auto& refusal : rewriting.refusals)
      reason += "; " + refusal.place.file + ":" + std::to_string(refusal.place.begin_line) + ": " +
                refusal.reason;
    throw std::runtime_error(reason);
  }
  return {clang_tool::write_overlay(rewriting, folder).front(),
          clang_tool::read_guards(host.command(), rewriting, variants, preamble)};
}

}  // namespace geak::optimizer
