#pragma once

#include <optional>
#include <string>

#include <clang/Basic/SourceLocation.h>

#include "clang-tool/translation_unit.h"

namespace geak::clang_tool {

/// A stretch of a file's text in which macros of the project's own are replaced by what they stand
/// for, as this pass of the unit has them.
struct ExpandedText {
  std::string text;
  unsigned expanded = 0;  ///< uses that were replaced
  /// The first use that stays as it is, and why; empty where there is none. Uses that are no more
  /// than a constant, and those of system headers' macros, are left without a word, but for HIP's
  /// older names of launch values (`hipThreadIdx_x`), which become `threadIdx.x` of their type.
  std::string left;
};

/// `begin` to `end` are offsets in `file`, between tokens. Nothing where the stretch defines macros
/// itself.
std::optional<ExpandedText> expand_macros(const TranslationUnit& unit, clang::FileID file,
                                          unsigned begin, unsigned end);

}  // namespace geak::clang_tool
