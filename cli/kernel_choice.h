// Marked kernels that the user names on the command line.
#pragma once

#include <string>
#include <vector>

#include "optimizer/keyed_kernel.h"
#include "support/manifest.h"

namespace geak::cli {

struct ChosenKernel {
  support::Manifest manifest;
  optimizer::KeyedKernel kernel;
};

// All marked kernels of the build that `glob` names. Throws UsageError when it names none: the text
// lists those that there are.
std::vector<ChosenKernel> choose_kernels(const std::string& build, const std::string& glob);

}  // namespace geak::cli
