// A candidate as it would ship: the unit rewritten by the same code as `geak swap`.
#pragma once

#include <filesystem>

#include "clang-tool/translation_unit.h"
#include "clang-tool/variant.h"
#include "optimizer/marked_kernels.h"

namespace geak::optimizer {

// Writes the unit of `kernel` with `variant` swapped in, and its overlay, below `folder`; returns
// overlay.yaml. `host`: the unit's host pass. Throws std::runtime_error with the reason where no
// launch can be rewritten, so that the variant could never run.
std::filesystem::path write_candidate_overlay(const clang_tool::TranslationUnit& host,
                                              const MarkedKernel& kernel,
                                              const clang_tool::Variant& variant,
                                              const std::filesystem::path& folder);

}  // namespace geak::optimizer
