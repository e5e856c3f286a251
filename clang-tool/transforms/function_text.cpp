#include "clang-tool/transforms/function_text.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/TypeLoc.h>
#include <clang/Basic/SourceManager.h>

namespace geak::clang_tool::transforms {
namespace {

std::string name_of(const KernelView& kernel) { return kernel.written.getNameAsString(); }

}  // namespace

FunctionText::FunctionText(const KernelView& kernel) : kernel_(kernel) {}

std::string FunctionText::unused_suffix(const std::string& suffix) const {
  const std::string text = kernel_.source.text(kernel_.text);
  std::string found = suffix;
  for (unsigned nth = 2; text.find(name_of(kernel_) + found + "(") != std::string::npos; ++nth)
    found = suffix + std::to_string(nth);
  return found;
}

unsigned FunctionText::definition_begin() const {
  const clang::SourceManager& sources = kernel_.unit.sources();
  const auto* described = kernel_.written.getDescribedFunctionTemplate();
  const clang::SourceLocation begin =
      described != nullptr ? described->getBeginLoc() : kernel_.written.getBeginLoc();
  return kernel_.source.offset(sources.getExpansionLoc(begin)).value_or(kernel_.text.begin);
}

std::string FunctionText::device_function(const std::string& suffix,
                                          const std::string& more) const {
  const clang::SourceManager& sources = kernel_.unit.sources();
  std::string text;
  if (kernel_.written.getDescribedFunctionTemplate() != nullptr) {
    const auto function =
        kernel_.source.offset(sources.getExpansionLoc(kernel_.written.getBeginLoc()));
    text += kernel_.source.text({definition_begin(), function.value_or(definition_begin())});
  }
  const auto type = kernel_.written.getFunctionTypeLoc();
  const auto open = kernel_.source.offset(sources.getExpansionLoc(type.getLParenLoc()));
  const auto close = kernel_.source.offset(sources.getExpansionLoc(type.getRParenLoc()));
  const std::string parameters =
      open && close ? kernel_.source.text({*open + 1, *close}) : std::string();
  std::string all = parameters + more;
  if (kernel_.written.getNumParams() == 0 && !more.empty()) all = more.substr(1);
  return text + "static __device__ __forceinline__ void " + name_of(kernel_) + suffix + "(" + all +
         ") ";
}

std::string FunctionText::call(const std::string& suffix, const std::string& more) const {
  std::string text = name_of(kernel_) + suffix;
  if (const auto* described = kernel_.written.getDescribedFunctionTemplate()) {
    std::string arguments;
    for (const clang::NamedDecl* parameter : *described->getTemplateParameters())
      arguments += (arguments.empty() ? "" : ", ") + parameter->getNameAsString() +
                   (parameter->isParameterPack() ? "..." : "");
    text += "<" + arguments + ">";
  }
  std::string arguments;
  for (const clang::ParmVarDecl* parameter : kernel_.written.parameters())
    arguments += (arguments.empty() ? "" : ", ") + parameter->getNameAsString();
  std::string all = arguments + more;
  if (arguments.empty() && !more.empty()) all = more.substr(1);
  return text + "(" + all + ")";
}

}  // namespace geak::clang_tool::transforms
