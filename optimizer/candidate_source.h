// A candidate as it would ship: the unit rewritten by the same code as `geak swap`.
#pragma once

#include <filesystem>
#include <vector>

#include "clang-tool/translation_unit.h"
#include "clang-tool/variant.h"
#include "optimizer/marked_kernels.h"

namespace geak::optimizer {

// Writes the unit of `kernel` with `variants` swapped in, and its overlay, below `folder`; returns
// overlay.yaml. `host`: the unit's host pass. Throws std::runtime_error with the reason where no
// launch can be rewritten for one of them, so that it could never run.
// Of several variants, each is there; which one a launch runs does not matter to who looks at the
// kernels alone.
std::filesystem::path write_candidate_overlay(const clang_tool::TranslationUnit& host,
                                              const MarkedKernel& kernel,
                                              const std::vector<clang_tool::Variant>& variants,
                                              const std::filesystem::path& folder);

}  // namespace geak::optimizer
