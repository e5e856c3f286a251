#include "optimizer/candidate_source.h"

#include <stdexcept>

#include "clang-tool/swap.h"

namespace geak::optimizer {

std::filesystem::path write_candidate_overlay(const clang_tool::TranslationUnit& host,
                                              const MarkedKernel& kernel,
                                              const std::vector<clang_tool::Variant>& variants,
                                              const std::filesystem::path& folder) {
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
  return clang_tool::write_overlay(rewriting, folder).front();
}

}  // namespace geak::optimizer
