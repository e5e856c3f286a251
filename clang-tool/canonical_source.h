#pragma once

#include <string>

#include <clang/Basic/SourceLocation.h>

#include "clang-tool/translation_unit.h"

namespace geak::clang_tool {

/// The tokens of `range`, one blank between two, without comments and without what `#if` leaves out
/// in this pass. For what a macro makes: the macro's use.
std::string canonical_source(const TranslationUnit& unit, clang::SourceRange range);

}  // namespace geak::clang_tool
