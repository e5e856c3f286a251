#include "optimizer/candidate_source.h"

#include <stdexcept>

#include "clang-tool/swap.h"

namespace geak::optimizer {

std::filesystem::path write_candidate_overlay(const clang_tool::TranslationUnit& host,
                                              const MarkedKernel& kernel,
                                              const clang_tool::Variant& variant,
                                              const std::filesystem::path& folder) {
  const auto rewriting =
      clang_tool::rewrite(host, {{kernel.kernel.name, kernel.instantiation.symbol, variant}});
  if (rewriting.swapped.empty()) {
    std::string reason = "no launch of " + kernel.full_name() + " can be rewritten";
    for (const auto& refusal : rewriting.refusals)
      reason += "; " + refusal.place.file + ":" + std::to_string(refusal.place.begin_line) + ": " +
                refusal.reason;
    throw std::runtime_error(reason);
  }
  return clang_tool::write_overlay(rewriting, folder).front();
}

}  // namespace geak::optimizer
