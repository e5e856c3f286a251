#pragma once

#include <string>
#include <vector>

#include "support/launch_change.h"

namespace geak::clang_tool::transforms {

/// What a transform changes. It works on a copy, so that a refusal leaves nothing behind.
struct Draft {
  std::string text;  ///< the kernel's name is `variant_name_placeholder`
  support::LaunchChange launch;
  std::vector<std::string> guards;  ///< C++ conditions, all must hold
  bool block_is_fixed = false;      ///< the text relies on the workgroup's size

  void require(const support::Condition& condition);
  void require(const std::string& guard);
};

}  // namespace geak::clang_tool::transforms
