#include "clang-tool/kernel_finder.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/Mangle.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Frontend/ASTUnit.h>

#include <llvm/Support/GlobPattern.h>

#include <algorithm>

#include "clang-tool/system_header.h"

namespace geak::clang_tool {
namespace {

class Finder : public clang::RecursiveASTVisitor<Finder> {
 public:
  explicit Finder(std::vector<const clang::FunctionDecl*>& found) : found_(found) {}

  // The body of a function holds no kernels worth the walk.
  bool TraverseStmt(clang::Stmt*) { return true; }

  bool VisitFunctionDecl(clang::FunctionDecl* function) {
    if (function->hasAttr<clang::CUDAGlobalAttr>() && function->isThisDeclarationADefinition() &&
        !is_in_system_header(*function))
      found_.push_back(function);
    return true;
  }

 private:
  std::vector<const clang::FunctionDecl*>& found_;
};

/// `detail::scan` and `<int,4>`: what stands between brackets is compared without blanks.
struct Split {
  std::string name, arguments;
};

Split split(const std::string& text) {
  const std::size_t bracket = std::min(text.find('<'), text.size());
  Split parts{text.substr(0, bracket), text.substr(bracket)};
  std::erase(parts.arguments, ' ');
  return parts;
}

bool glob(llvm::StringRef pattern, llvm::StringRef text) {
  auto compiled = llvm::GlobPattern::create(pattern);
  if (compiled) return compiled->match(text);
  llvm::consumeError(compiled.takeError());  // a name such as `f[`: it stands for itself
  return pattern == text;
}

}  // namespace

std::vector<const clang::FunctionDecl*> find_kernels(const TranslationUnit& unit) {
  std::vector<const clang::FunctionDecl*> found;
  Finder(found).TraverseDecl(unit.context().getTranslationUnitDecl());
  return found;
}

std::vector<const clang::FunctionDecl*> instantiations_of(const clang::FunctionDecl& pattern) {
  std::vector<const clang::FunctionDecl*> found;
  const clang::FunctionTemplateDecl* written = pattern.getDescribedFunctionTemplate();
  if (written == nullptr) return found;
  for (const clang::FunctionDecl* specialization : written->specializations()) {
    if (specialization->getTemplateSpecializationKind() == clang::TSK_ExplicitSpecialization)
      continue;
    const clang::FunctionDecl* definition = specialization->getDefinition();
    if (definition != nullptr && definition->hasBody()) found.push_back(definition);
  }
  return found;
}

const clang::FunctionDecl* written_definition(const clang::FunctionDecl& kernel) {
  const clang::FunctionDecl* written = &kernel;
  if (const clang::FunctionDecl* pattern = kernel.getTemplateInstantiationPattern())
    written = pattern;
  return written->getDefinition();
}

std::string qualified_name(const clang::FunctionDecl& kernel) {
  return kernel.getQualifiedNameAsString();
}

std::string device_symbol(const clang::FunctionDecl& kernel) {
  const std::unique_ptr<clang::MangleContext> mangler(kernel.getASTContext().createMangleContext());
  if (!mangler->shouldMangleDeclName(&kernel)) return kernel.getNameAsString();
  std::string symbol;
  llvm::raw_string_ostream stream(symbol);
  // Not the host's stub, whatever the pass.
  mangler->mangleName(clang::GlobalDecl(&kernel, clang::KernelReferenceKind::Kernel), stream);
  return symbol;
}

std::vector<std::string> template_arguments(const clang::FunctionDecl& kernel) {
  std::vector<std::string> printed;
  const clang::TemplateArgumentList* arguments = kernel.getTemplateSpecializationArgs();
  if (arguments == nullptr) return printed;
  const clang::PrintingPolicy& policy = kernel.getASTContext().getPrintingPolicy();
  for (const clang::TemplateArgument& argument : arguments->asArray()) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    argument.print(policy, stream, /*IncludeType=*/false);
    // Clang leaves out which function of a template it is.
    if (argument.getKind() == clang::TemplateArgument::Declaration)
      if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(argument.getAsDecl()))
        text = instantiated_name(text, template_arguments(*function));
    printed.push_back(text);
  }
  return printed;
}

SourceSpan definition_span(const clang::FunctionDecl& definition, const std::string& directory) {
  clang::SourceRange range = definition.getSourceRange();
  if (const auto* described = definition.getDescribedFunctionTemplate())
    range = described->getSourceRange();
  return span_of(definition.getASTContext().getSourceManager(), range, directory);
}

bool is_defined_by_macro(const clang::FunctionDecl& definition) {
  const clang::Stmt* body = definition.getBody();
  return definition.getLocation().isMacroID() ||
         (body != nullptr && (body->getBeginLoc().isMacroID() || body->getEndLoc().isMacroID()));
}

std::string instantiated_name(const std::string& name, const std::vector<std::string>& arguments) {
  if (arguments.empty()) return name;
  std::string text = name + "<";
  for (const std::string& argument : arguments) text += (text.back() == '<' ? "" : ", ") + argument;
  return text + ">";
}

bool matches_glob(const std::string& pattern, const std::string& name) {
  const Split wanted = split(pattern);
  const Split given = split(name);
  if (!wanted.arguments.empty() && wanted.arguments != "<*>" &&
      !glob(wanted.arguments, given.arguments))
    return false;
  if (glob(wanted.name, given.name)) return true;
  const std::size_t scope = given.name.rfind("::");
  return wanted.name.find("::") == std::string::npos && scope != std::string::npos &&
         glob(wanted.name, llvm::StringRef(given.name).substr(scope + 2));
}

}  // namespace geak::clang_tool
