#include "clang-tool/used_entities.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/MacroInfo.h>
#include <clang/Lex/PreprocessingRecord.h>
#include <clang/Lex/Preprocessor.h>

namespace geak::clang_tool {
namespace {

class Macros {
 public:
  explicit Macros(const TranslationUnit& unit) : preprocessor_(unit.preprocessor()) {}

  void note(const clang::IdentifierInfo& name, clang::SourceLocation at) {
    const std::string key = name.getName().str();
    if (found.contains(key)) return;
    const clang::MacroDefinition definition = preprocessor_.getMacroDefinitionAtLoc(&name, at);
    const clang::MacroInfo* macro = definition.getMacroInfo();
    if (macro == nullptr) return;
    if (macro->isBuiltinMacro()) {
      found[key] = "builtin";
      return;
    }
    found[key] = written(*macro);
    // What the body names may be a macro too; it means what it means at the use.
    for (const clang::Token& token : macro->tokens())
      if (const clang::IdentifierInfo* inner = token.getIdentifierInfo()) note(*inner, at);
  }

  std::map<std::string, std::string> found;

 private:
  std::string written(const clang::MacroInfo& macro) const {
    std::string text;
    if (macro.isFunctionLike()) {
      text += "(";
      for (const clang::IdentifierInfo* parameter : macro.params())
        text += parameter->getName().str() + ",";
      text += macro.isVariadic() ? "...)" : ")";
    }
    for (const clang::Token& token : macro.tokens()) text += " " + preprocessor_.getSpelling(token);
    return text;
  }

  clang::Preprocessor& preprocessor_;
};

}  // namespace

std::map<std::string, std::string> used_macros(
    const TranslationUnit& unit, const std::vector<const clang::FunctionDecl*>& functions) {
  Macros macros(unit);
  clang::PreprocessingRecord* record = unit.preprocessor().getPreprocessingRecord();
  if (record == nullptr) return {};
  for (const clang::FunctionDecl* function : functions) {
    const clang::SourceRange range =
        unit.sources().getExpansionRange(function->getSourceRange()).getAsRange();
    for (const clang::PreprocessedEntity* entity : record->getPreprocessedEntitiesInRange(range))
      if (const auto* expansion = llvm::dyn_cast<clang::MacroExpansion>(entity))
        if (expansion->getName() != nullptr)
          macros.note(*expansion->getName(), expansion->getSourceRange().getBegin());
  }
  return std::move(macros.found);
}

}  // namespace geak::clang_tool
