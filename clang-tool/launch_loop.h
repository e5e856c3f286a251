#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "clang-tool/launch_finder.h"

namespace clang {
class ForStmt;
class VarDecl;
}  // namespace clang

namespace geak::clang_tool {

/// A host loop that does nothing but launch one kernel, round after round, with one argument that
/// differs: the loop's own variable. Calls of the runtime that ask for errors or wait may stand in
/// it too.
struct LaunchLoop {
  const clang::ForStmt* statement = nullptr;
  const clang::VarDecl* variable = nullptr;
  unsigned argument = 0;  ///< position of the argument that is the variable
  int advance = 0;        ///< support::pass_rule::PassAdvance
  std::int64_t step = 1;
};

/// The loop around a launch, or why there is none of this kind.
std::variant<LaunchLoop, std::string> launch_loop(const LaunchNode& launch,
                                                  const clang::ASTContext& context);

}  // namespace geak::clang_tool
