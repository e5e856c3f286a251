#pragma once

#include <map>
#include <string>

namespace geak::clang_tool::transforms {

/// What a transform mainly changes. The search keeps its best recipes apart by which transforms
/// they have on each axis: how memory is reached, what is computed, how work is spread.
enum class Axis { memory, compute, parallelism };

/// Every transform's axis, by its name.
const std::map<std::string, Axis>& axes_of_transforms();

}  // namespace geak::clang_tool::transforms
