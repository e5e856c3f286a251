#include "clang-tool/launch_edit.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>

#include <stdexcept>

#include "clang-tool/launch_loop.h"
#include "clang-tool/launch_wrapper.h"
#include "clang-tool/source_edits.h"

namespace geak::clang_tool {
namespace {

clang::CharSourceRange in_file(const clang::ASTContext& context, clang::SourceRange range) {
  return clang::Lexer::makeFileCharRange(clang::CharSourceRange::getTokenRange(range),
                                         context.getSourceManager(), context.getLangOpts());
}

std::string spelled(const clang::ASTContext& context, clang::SourceRange range) {
  const auto place = in_file(context, range);
  if (place.isInvalid()) return {};
  return clang::Lexer::getSourceText(place, context.getSourceManager(), context.getLangOpts())
      .str();
}

/// Text of a part of the launch; parentheses that hipLaunchKernelGGL's body adds are looked
/// through.
std::string part(const clang::ASTContext& context, const clang::Expr* expression,
                 const char* what) {
  if (expression == nullptr) return "0";
  for (const clang::Expr* candidate : {expression->IgnoreUnlessSpelledInSource(),
                                       expression->IgnoreUnlessSpelledInSource()->IgnoreParens()})
    if (std::string text = spelled(context, candidate->getSourceRange()); !text.empty())
      return text;
  throw std::invalid_argument(std::string("a macro builds its ") + what);
}

class Reference : public clang::RecursiveASTVisitor<Reference> {
 public:
  bool VisitDeclRefExpr(clang::DeclRefExpr* reference) {
    if (reference->getDecl()->hasAttr<clang::CUDAGlobalAttr>()) found = reference;
    return true;
  }
  const clang::DeclRefExpr* found = nullptr;
};

const clang::DeclRefExpr& reference_to_kernel(const LaunchNode& launch) {
  Reference visitor;
  visitor.TraverseStmt(const_cast<clang::Expr*>(launch.callee));
  if (visitor.found == nullptr) throw std::invalid_argument("it names no kernel");
  return *visitor.found;
}

/// `<float, 4>` as the launch spells it; empty where it is all deduced.
std::string template_arguments_of(const clang::ASTContext& context,
                                  const clang::DeclRefExpr& reference) {
  if (!reference.hasExplicitTemplateArgs()) return {};
  std::string text = spelled(context, {reference.getLAngleLoc(), reference.getRAngleLoc()});
  if (text.empty()) throw std::invalid_argument("a macro builds its template arguments");
  return text;
}

void check_text(const LaunchNode& launch) {
  if (launch.in_macro_body)
    throw std::invalid_argument("it stands in the body of the macro " + launch.macro);
  if (launch.spelled.isInvalid()) throw std::invalid_argument("a macro builds its text");
}

/// The launch as a call of a wrapper beside the kernel; `first`: what comes before its grid.
std::string wrapper_call(const LaunchNode& launch, const clang::ASTContext& context,
                         const std::string& wrapper, const std::string& first) {
  std::string text = *enclosing_scope(*launch.kernel) + wrapper +
                     template_arguments_of(context, reference_to_kernel(launch)) + "(" + first +
                     part(context, launch.grid.at(0), "grid") + ", " +
                     part(context, launch.block.at(0), "block") + ", " +
                     part(context, launch.dynamic_lds, "dynamic LDS") + ", " +
                     part(context, launch.stream, "stream");
  for (const clang::Expr* argument : launch.arguments)
    text += ", " + part(context, argument, "arguments");
  return text + ")";
}

}  // namespace

void call_wrapper(const LaunchNode& launch, const clang::ASTContext& context, SourceEdits& edits) {
  check_text(launch);
  edits.replace(launch.spelled, wrapper_call(launch, context, wrapper_name(*launch.kernel), ""));
}

void call_pass_wrapper(const LaunchNode& launch, const support::PassRule& rule,
                       const clang::ASTContext& context, SourceEdits& edits) {
  check_text(launch);
  const auto found = launch_loop(launch, context);
  if (const auto* problem = std::get_if<std::string>(&found)) throw std::invalid_argument(*problem);
  const auto& loop = std::get<LaunchLoop>(found);
  if (loop.argument != rule.argument || loop.advance != rule.advance || loop.step != rule.step)
    throw std::invalid_argument("its loop counts the passes in another way");
  const std::string condition = spelled(context, loop.statement->getCond()->getSourceRange());
  const std::string step = spelled(context, loop.statement->getInc()->getSourceRange());
  if (condition.empty() || step.empty() ||
      (condition + step).find_first_of("\n\\/#") != std::string::npos)
    throw std::invalid_argument(
        "the loop's condition or step stands in a macro or on several lines");
  // How many rounds are left: the loop's own text, run ahead on a copy of its variable.
  const std::string variable = loop.variable->getNameAsString();
  edits.replace(
      launch.spelled,
      "_Pragma(\"clang diagnostic push\") _Pragma(\"clang diagnostic ignored "
      "\\\"-Weverything\\\"\") "
      "{ unsigned geak_left = 0; { const auto geak_first = " +
          variable + "; auto " + variable + " = geak_first; for (; geak_left < " +
          std::to_string(rule.most) + "u && (" + condition + "); " + step +
          ") ++geak_left; } for (unsigned geak_n = " +
          wrapper_call(launch, context, pass_wrapper_name(*launch.kernel), "geak_left, ") +
          "; geak_n > 1; --geak_n) { " + step + "; } } _Pragma(\"clang diagnostic pop\")");
}

void pass_variant(const LaunchNode& launch, const Variant& variant,
                  const clang::ASTContext& context, SourceEdits& edits) {
  if (!variant.launch.keeps_launch() || !variant.launch.conditions.empty() ||
      !variant.guard.empty())
    throw std::invalid_argument("a launch through " + launch.api +
                                " can take neither another shape nor a condition");
  const clang::DeclRefExpr& reference = reference_to_kernel(launch);
  const auto place = in_file(context, reference.getSourceRange());
  if (place.isInvalid() || launch.in_macro_body)
    throw std::invalid_argument("a macro builds its text");
  const std::string scope = *enclosing_scope(*launch.kernel);
  const std::string arguments = template_arguments_of(context, reference);
  edits.replace(place, "(geak_swap::enabled() ? " + scope + variant.name + arguments + " : " +
                           scope + launch.kernel->getNameAsString() + arguments + ")");
}

}  // namespace geak::clang_tool
