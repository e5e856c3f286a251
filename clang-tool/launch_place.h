#pragma once

#include <string>

#include <clang/Basic/SourceLocation.h>

namespace clang {
class LangOptions;
class SourceManager;
}  // namespace clang

namespace geak::clang_tool {

/// How a launch stands in the text: directly, as hipLaunchKernelGGL, or within a project's macro.
struct LaunchPlace {
  clang::CharSourceRange spelled;  ///< see LaunchNode
  std::string launch_macro;        ///< hipLaunchKernelGGL, where HIP's macro makes the launch
  std::string macro;               ///< outermost macro of the project's own around it
  bool in_macro_body = false;
};

/// `range` is the launch expression's; `closing_parenthesis` ends its argument list.
LaunchPlace place_of_launch(const clang::SourceManager& sources, const clang::LangOptions& language,
                            clang::SourceRange range, clang::SourceLocation closing_parenthesis);

}  // namespace geak::clang_tool
