#pragma once

#include <string>

#include "clang-tool/launch_finder.h"
#include "clang-tool/variant.h"

namespace geak::clang_tool {

class SourceEdits;

/// Makes a launch with `<<<>>>` or hipLaunchKernelGGL call the kernel's wrapper. Throws
/// std::invalid_argument with the reason where its text cannot be taken apart.
void call_wrapper(const LaunchNode& launch, const clang::ASTContext& context, SourceEdits& edits);

/// Makes a launch in a loop over passes (launch_loop.h) call the wrapper that launches several of
/// them at once; the loop's own step is taken for each. Throws std::invalid_argument likewise, and
/// where the loop is none that the rule is for.
void call_pass_wrapper(const LaunchNode& launch, const support::PassRule& rule,
                       const clang::ASTContext& context, SourceEdits& edits);

/// Makes a launch through an API function that takes the kernel's address run `variant` instead,
/// which must keep the launch and have no condition. Throws std::invalid_argument with the reason.
void pass_variant(const LaunchNode& launch, const Variant& variant,
                  const clang::ASTContext& context, SourceEdits& edits);

}  // namespace geak::clang_tool
