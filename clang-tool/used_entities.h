#pragma once

#include <map>
#include <string>
#include <vector>

#include "clang-tool/translation_unit.h"

namespace clang {
class FunctionDecl;
}

namespace geak::clang_tool {

/// What functions use beside each other: by name, in a form that changes when the meaning does.
struct UsedEntities {
  /// `using`s with what they stand for, layouts of classes, enumerators with their values.
  std::map<std::string, std::string> types;
  /// Globals and static members: type, declaration and, where constant, value.
  std::map<std::string, std::string> constants;
};

UsedEntities used_entities(const TranslationUnit& unit,
                           const std::vector<const clang::FunctionDecl*>& functions);

/// The macros used in the definitions of `functions` (and in those macros), with their definitions.
std::map<std::string, std::string> used_macros(
    const TranslationUnit& unit, const std::vector<const clang::FunctionDecl*>& functions);

}  // namespace geak::clang_tool
