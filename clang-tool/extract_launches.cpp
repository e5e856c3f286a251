#include "clang-tool/extract.h"
#include "clang-tool/kernel_finder.h"
#include "clang-tool/launch_finder.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Basic/SourceManager.h>

#include <algorithm>
#include <tuple>

namespace geak::clang_tool {
namespace {

bool given(const clang::Expr* argument) { return !llvm::isa<clang::CXXDefaultArgExpr>(argument); }

std::string text_or_zero(const clang::ASTContext& context, const clang::Expr* expression) {
  return expression == nullptr ? "0" : text_of(context, *expression->IgnoreUnlessSpelledInSource());
}

std::string texts(const clang::ASTContext& context, const std::vector<const clang::Expr*>& parts) {
  std::string joined;
  for (const clang::Expr* part : parts)
    joined += (joined.empty() ? "" : ", ") + text_or_zero(context, part);
  return joined;
}

/// Clang takes every call of a user's constructor for a side effect; dim3's, which is constexpr,
/// only has those of its arguments.
bool has_side_effects(const clang::ASTContext& context, const clang::Expr* expression) {
  if (expression == nullptr || expression->isInstantiationDependent()) return false;
  const clang::Expr* spelled = expression->IgnoreUnlessSpelledInSource();
  if (const auto* cast = llvm::dyn_cast<clang::CXXFunctionalCastExpr>(spelled))
    spelled = cast->getSubExpr()->IgnoreUnlessSpelledInSource();
  if (const auto* construction = llvm::dyn_cast<clang::CXXConstructExpr>(spelled);
      construction != nullptr && (construction->getConstructor()->isConstexpr() ||
                                  construction->getConstructor()->isTrivial())) {
    return std::ranges::any_of(construction->arguments(), [&](const clang::Expr* argument) {
      return given(argument) && has_side_effects(context, argument);
    });
  }
  return spelled->HasSideEffects(context);
}

/// The kernel's name as a pattern gives it, before it is known which function is meant.
std::string name_of_callee(const LaunchNode& node) {
  if (node.kernel != nullptr) return qualified_name(*node.kernel);
  if (node.callee == nullptr) return {};
  const clang::Expr* callee = node.callee->IgnoreParenImpCasts();
  if (const auto* lookup = llvm::dyn_cast<clang::OverloadExpr>(callee))
    for (const clang::NamedDecl* candidate : lookup->decls())
      return candidate->getQualifiedNameAsString();
  return {};
}

void describe_kernel(const LaunchNode& node, LaunchSite& site) {
  site.kernel = name_of_callee(node);
  if (node.kernel == nullptr) return;
  site.template_arguments = template_arguments(*node.kernel);
  site.kernel_is_declared_only = written_definition(*node.kernel) == nullptr;
}

void describe_function(const LaunchNode& node, LaunchSite& site) {
  if (node.function == nullptr) return;
  site.function = node.function->getQualifiedNameAsString();
  site.is_pattern = node.function->isDependentContext();
  site.in_template = site.is_pattern || node.function->getTemplateInstantiationPattern() != nullptr;
}

LaunchSite site_of(const LaunchNode& node, const TranslationUnit& unit) {
  const clang::ASTContext& context = unit.context();
  LaunchSite site;
  site.form = node.form;
  site.api = node.api;
  site.unit = unit.command().file;
  site.macro = node.macro;
  site.span =
      span_of(unit.sources(),
              node.spelled.isValid()
                  ? node.spelled
                  : clang::CharSourceRange::getTokenRange(node.expression->getSourceRange()),
              unit.command().directory);
  describe_kernel(node, site);
  describe_function(node, site);
  site.grid = texts(context, node.grid);
  site.block = texts(context, node.block);
  site.dynamic_lds = text_or_zero(context, node.dynamic_lds);
  site.stream = text_or_zero(context, node.stream);
  const auto note = [&](const clang::Expr* part) {
    site.side_effect_free = site.side_effect_free && !has_side_effects(context, part);
  };
  std::ranges::for_each(node.grid, note);
  std::ranges::for_each(node.block, note);
  note(node.dynamic_lds);
  note(node.stream);
  for (const clang::Expr* argument : node.arguments) {
    site.arguments.push_back(
        {text_or_zero(context, argument), has_side_effects(context, argument)});
    note(argument);
  }
  return site;
}

}  // namespace

std::vector<LaunchSite> extract_launches(const TranslationUnit& unit) {
  std::vector<LaunchSite> sites;
  for (const LaunchNode& node : find_launches(unit)) sites.push_back(site_of(node, unit));
  std::ranges::sort(sites, {}, [](const LaunchSite& site) {
    return std::tuple(site.span, !site.is_pattern, site.kernel, site.template_arguments);
  });
  return sites;
}

}  // namespace geak::clang_tool
