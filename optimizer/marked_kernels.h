// The kernels of a target that geak_optimize() names, as the device pass of its sources sees them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "clang-tool/extract.h"
#include "support/manifest.h"

namespace geak::optimizer {

struct MarkedKernel {
  clang_tool::Kernel kernel;
  clang_tool::Instantiation instantiation;
  clang_tool::CompileCommand command;  // of the unit that defines it
  std::string target_id;               // architecture of this device pass
  // The parsed device pass, shared by the kernels of a unit.
  std::shared_ptr<clang_tool::TranslationUnit> unit;
  // Everything that its unit is built for, the one that is searched on (target_id) first.
  std::vector<std::string> targets;
  // The same kernel in the device passes of the other targets, in their order; one is missing where
  // its pass does not have the kernel. Empty in these themselves.
  std::vector<MarkedKernel> elsewhere;
  std::optional<double> tolerance;  // of geak_optimize()

  // "detail::scan<int, 4>", for people and for the cache.
  std::string full_name() const;
};

struct MarkedKernels {
  std::vector<MarkedKernel> kernels;
  std::vector<std::string> problems;   // sources that could not be read or parsed, one line each
  std::vector<std::string> unmatched;  // globs that name no kernel
};

// What a unit must be verified for: the architectures that its command builds, those that
// geak_optimize() names first; where the command names none, those of geak_optimize().
std::vector<std::string> targets_of(const support::Manifest& manifest,
                                    const clang_tool::CompileCommand& command);

// Sources that are no HIP are passed over. A template that nothing instantiates has no kernel to
// optimize.
MarkedKernels find_marked_kernels(const support::Manifest& manifest);

}  // namespace geak::optimizer
