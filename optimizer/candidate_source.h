// A candidate as it would ship: the unit rewritten by the same code as `geak swap`.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "clang-tool/guard_reader.h"
#include "clang-tool/translation_unit.h"
#include "clang-tool/variant.h"
#include "optimizer/marked_kernels.h"

namespace geak::optimizer {

struct CandidateSource {
  std::filesystem::path overlay;                           // overlay.yaml
  std::map<std::string, clang_tool::GuardReading> guards;  // by the variant's name

  // How the judge is to launch `variant`: with its guard as this source evaluates it. Throws
  // std::runtime_error where nobody but the host can evaluate that.
  support::LaunchChange launch_of(const clang_tool::Variant& variant) const;
};

// Writes the unit of `kernel` with `variants` swapped in, and its overlay, below `folder`. `host`:
// the unit's host pass. Throws std::runtime_error with the reason where no launch can be rewritten
// for one of them, so that it could never run. Of several variants, each is there; which one a
// launch runs does not matter to who looks at the kernels alone. `preamble`: of the host pass, for
// those who come again.
CandidateSource write_candidate_overlay(const clang_tool::TranslationUnit& host,
                                        const MarkedKernel& kernel,
                                        const std::vector<clang_tool::Variant>& variants,
                                        const std::filesystem::path& folder,
                                        clang_tool::Preamble* preamble = nullptr);

// `variant`'s launch with the guard that was read, as CandidateSource::launch_of.
support::LaunchChange with_guard(const clang_tool::Variant& variant,
                                 const std::map<std::string, clang_tool::GuardReading>& guards);

}  // namespace geak::optimizer
