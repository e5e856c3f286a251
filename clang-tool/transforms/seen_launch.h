#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "support/launch_change.h"

namespace geak::clang_tool::transforms {

/// One launch that the record saw.
struct SeenLaunch {
  support::Launch launch;
  /// Of integers their value, of pointers the address; nothing for floats and structs.
  std::vector<std::optional<std::int64_t>> arguments;
};

}  // namespace geak::clang_tool::transforms
