// The kernels of a target that geak_optimize() names, as the device pass of its sources sees them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "clang-tool/extract.h"
#include "support/manifest.h"

namespace geak::optimizer {

struct MarkedKernel {
  clang_tool::Kernel kernel;
  clang_tool::Instantiation instantiation;
  clang_tool::CompileCommand command;  // of the unit that defines it
  std::string target_id;               // architecture that it is optimized for
  // The parsed device pass, shared by the kernels of a unit.
  std::shared_ptr<clang_tool::TranslationUnit> unit;

  // "detail::scan<int, 4>", for people and for the cache.
  std::string full_name() const;
};

struct MarkedKernels {
  std::vector<MarkedKernel> kernels;
  std::vector<std::string> problems;   // sources that could not be read or parsed, one line each
  std::vector<std::string> unmatched;  // globs that name no kernel
};

// The architecture is the manifest's first, else the command's first. Sources that are no HIP are
// passed over. A template that nothing instantiates has no kernel to optimize.
MarkedKernels find_marked_kernels(const support::Manifest& manifest);

}  // namespace geak::optimizer
