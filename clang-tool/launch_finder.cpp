#include "clang-tool/launch_finder.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>

#include <llvm/ADT/StringSwitch.h>

#include "clang-tool/launch_place.h"
#include "clang-tool/system_header.h"

namespace geak::clang_tool {
namespace {

/// Where the parts of a launch stand among a function's arguments; -1: it has no such part.
struct CallLayout {
  LaunchForm form;
  int kernel, grid, block, dynamic_lds, stream, arguments;
};

const CallLayout* layout_of(llvm::StringRef name) {
  static const CallLayout plain{LaunchForm::launch_call, 0, 1, 2, 4, 5, -1};
  static const CallLayout cooperative{LaunchForm::cooperative_call, 0, 1, 2, 4, 5, -1};
  static const CallLayout extended{LaunchForm::extended_call, 0, 1, 2, 4, 5, -1};
  static const CallLayout extended_typed{LaunchForm::extended_call, 0, 1, 2, 3, 4, 8};
  static const CallLayout module{LaunchForm::module_call, 0, 1, 4, 7, 8, -1};
  return llvm::StringSwitch<const CallLayout*>(name)
      .Cases("hipLaunchKernel", "hipLaunchKernel_spt", &plain)
      .Cases("hipLaunchCooperativeKernel", "hipLaunchCooperativeKernel_spt", &cooperative)
      .Case("hipExtLaunchKernel", &extended)
      .Case("hipExtLaunchKernelGGL", &extended_typed)
      .Cases("hipModuleLaunchKernel", "hipModuleLaunchCooperativeKernel", &module)
      .Default(nullptr);
}

const clang::Expr* given(const clang::Expr* argument) {
  return argument == nullptr || llvm::isa<clang::CXXDefaultArgExpr>(argument) ? nullptr : argument;
}

/// The only `__global__` function that an expression names.
class NamedKernel : public clang::RecursiveASTVisitor<NamedKernel> {
 public:
  bool VisitDeclRefExpr(clang::DeclRefExpr* reference) {
    const auto* function = llvm::dyn_cast<clang::FunctionDecl>(reference->getDecl());
    if (function != nullptr && function->hasAttr<clang::CUDAGlobalAttr>()) kernel = function;
    return true;
  }
  const clang::FunctionDecl* kernel = nullptr;
};

const clang::FunctionDecl* kernel_named_in(const clang::Expr* expression) {
  NamedKernel visitor;
  visitor.TraverseStmt(const_cast<clang::Expr*>(expression));
  return visitor.kernel;
}

class Finder : public clang::RecursiveASTVisitor<Finder> {
 public:
  Finder(const clang::SourceManager& sources, const clang::LangOptions& language)
      : sources_(sources), language_(language) {}

  bool shouldVisitTemplateInstantiations() const { return true; }

  bool TraverseDecl(clang::Decl* declaration) {
    if (declaration == nullptr) return true;
    if (!llvm::isa<clang::TranslationUnitDecl>(declaration) && is_in_system_header(*declaration))
      return true;
    const auto* outer = function_;
    if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(declaration))
      function_ = function;
    const bool go_on = clang::RecursiveASTVisitor<Finder>::TraverseDecl(declaration);
    function_ = outer;
    return go_on;
  }

  bool VisitCUDAKernelCallExpr(clang::CUDAKernelCallExpr* launch) {
    LaunchNode node;
    node.expression = launch;
    node.callee = launch->getCallee();
    node.kernel = launch->getDirectCallee();
    if (const clang::CallExpr* configuration = launch->getConfig()) {
      const auto part = [&](unsigned at) {
        return at < configuration->getNumArgs() ? given(configuration->getArg(at)) : nullptr;
      };
      node.grid = {part(0)};
      node.block = {part(1)};
      node.dynamic_lds = part(2);
      node.stream = part(3);
    }
    for (const clang::Expr* argument : launch->arguments())
      if (given(argument) != nullptr) node.arguments.push_back(argument);
    add(std::move(node), launch->getRParenLoc());
    return true;
  }

  bool VisitCallExpr(clang::CallExpr* call) {
    if (llvm::isa<clang::CUDAKernelCallExpr>(call)) return true;
    const clang::FunctionDecl* function = call->getDirectCallee();
    if (function == nullptr || function->getIdentifier() == nullptr) return true;
    const CallLayout* layout = layout_of(function->getName());
    if (layout == nullptr) return true;
    LaunchNode node;
    node.form = layout->form;
    node.api = function->getName();
    node.expression = call;
    const auto part = [&](int at) {
      return at >= 0 && static_cast<unsigned>(at) < call->getNumArgs()
                 ? given(call->getArg(static_cast<unsigned>(at)))
                 : nullptr;
    };
    const int axes = layout->form == LaunchForm::module_call ? 3 : 1;
    for (int axis = 0; axis < axes; ++axis) {
      node.grid.push_back(part(layout->grid + axis));
      node.block.push_back(part(layout->block + axis));
    }
    node.callee = part(layout->kernel);
    if (node.callee != nullptr) node.kernel = kernel_named_in(node.callee);
    node.dynamic_lds = part(layout->dynamic_lds);
    node.stream = part(layout->stream);
    for (int at = layout->arguments; at >= 0 && part(at) != nullptr; ++at)
      node.arguments.push_back(part(at));
    add(std::move(node), call->getRParenLoc());
    return true;
  }

  std::vector<LaunchNode> found;

 private:
  void add(LaunchNode node, clang::SourceLocation closing_parenthesis) {
    const LaunchPlace place = place_of_launch(
        sources_, language_, node.expression->getSourceRange(), closing_parenthesis);
    if (!place.launch_macro.empty()) {
      node.form = LaunchForm::launch_macro;
      node.api = place.launch_macro;
    }
    node.spelled = place.spelled;
    node.macro = place.macro;
    node.in_macro_body = place.in_macro_body;
    node.function = function_;
    found.push_back(std::move(node));
  }

  const clang::SourceManager& sources_;
  const clang::LangOptions& language_;
  const clang::FunctionDecl* function_ = nullptr;
};

}  // namespace

std::vector<LaunchNode> find_launches(const TranslationUnit& unit) {
  Finder finder(unit.sources(), unit.context().getLangOpts());
  finder.TraverseDecl(unit.context().getTranslationUnitDecl());
  return std::move(finder.found);
}

}  // namespace geak::clang_tool
