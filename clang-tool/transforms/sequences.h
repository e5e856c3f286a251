#pragma once

#include <vector>

#include "clang-tool/transforms/transform.h"
#include "clang-tool/variant.h"

namespace geak::clang_tool::transforms {

/// Several steps as one: see `sequence_step`.
RecipeStep sequence(const std::vector<RecipeStep>& steps);

/// Steps of several transforms that gain little alone: one makes room for the next. Whether they
/// apply one after the other is for the session to find out.
std::vector<RecipeStep> promising_sequences(const KernelView& kernel);

}  // namespace geak::clang_tool::transforms
