#include "clang-tool/launch_place.h"

#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>

namespace geak::clang_tool {
namespace {

bool is_launch_macro(llvm::StringRef name) {
  // hipLaunchKernelGGL hands on to an internal macro of a name that differs between releases.
  return name.starts_with("hipLaunchKernelGGL");
}

}  // namespace

LaunchPlace place_of_launch(const clang::SourceManager& sources, const clang::LangOptions& language,
                            clang::SourceRange range, clang::SourceLocation closing_parenthesis) {
  LaunchPlace place;
  clang::CharSourceRange text = clang::CharSourceRange::getTokenRange(range);
  // From the innermost expansion outwards. A token of an argument is spelled where the macro is
  // used, so it goes on there; a token of the body leads to the macro's use.
  for (clang::SourceLocation at = closing_parenthesis; at.isMacroID();) {
    if (sources.isMacroArgExpansion(at)) {
      place.macro = clang::Lexer::getImmediateMacroName(at, sources, language);
      at = sources.getImmediateSpellingLoc(at);
      continue;
    }
    const llvm::StringRef name = clang::Lexer::getImmediateMacroName(at, sources, language);
    const clang::CharSourceRange use = sources.getImmediateExpansionRange(at);
    if (is_launch_macro(name)) {
      place.launch_macro = name;
      text = use;
    } else {
      place.macro = name;
      place.in_macro_body = true;
    }
    at = use.getBegin();
  }
  if (!place.in_macro_body)
    place.spelled = clang::Lexer::makeFileCharRange(text, sources, language);
  return place;
}

}  // namespace geak::clang_tool
