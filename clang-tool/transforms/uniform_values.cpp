#include "clang-tool/transforms/uniform_values.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>

#include <algorithm>

#include "clang-tool/transforms/no_overlap.h"

namespace geak::clang_tool::transforms {
namespace {

constexpr unsigned deepest = 16;

bool reads_thread(const clang::Stmt& root) {
  return std::ranges::any_of(launch_index_uses(root), [](const LaunchIndexUse& use) {
    return use.index.value == LaunchValue::thread;
  });
}

}  // namespace

bool UniformValues::is_uniform(const clang::Expr& expression,
                               const std::vector<const clang::VarDecl*>& also) const {
  if (!is_pure(expression, kernel_.unit.context()) || reads_thread(expression)) return false;
  return std::ranges::all_of(variables_in(expression), [&](const clang::VarDecl* variable) {
    return std::ranges::find(also, variable) != also.end() || is_uniform(*variable, 0);
  });
}

bool UniformValues::is_uniform(const clang::VarDecl& variable, unsigned depth) const {
  if (depth > deepest || variable.getType()->isReferenceType()) return false;
  std::vector<const clang::Expr*> parts;
  if (const auto* parameter = llvm::dyn_cast<clang::ParmVarDecl>(&variable)) {
    if (may_change(kernel_.body(), variable)) {
      auto moved = offsets_added(kernel_, *parameter, place_);
      if (!moved) return false;
      parts = std::move(*moved);
    }
  } else if (variable.isLocalVarDecl() && !variable.isStaticLocal()) {
    if (!variable.hasInit() || may_change(kernel_.body(), variable)) return false;
    parts.push_back(variable.getInit());
  } else {
    // Device constants, and variables of the host that are constants here.
    return variable.getType().isConstQualified();
  }
  return std::ranges::all_of(parts, [&](const clang::Expr* part) {
    if (!is_pure(*part, kernel_.unit.context()) || reads_thread(*part) ||
        !memory_reads(*part).empty())
      return false;
    return std::ranges::all_of(variables_in(*part), [&](const clang::VarDecl* inner) {
      return is_uniform(*inner, depth + 1);
    });
  });
}

std::vector<const clang::Expr*> memory_reads(const clang::Stmt& root) {
  std::vector<const clang::Expr*> found;
  walk(root, [&](const clang::Stmt& node, const Ancestors& ancestors) {
    const auto* expression = llvm::dyn_cast<clang::Expr>(&node);
    if (expression == nullptr) return true;
    if (as_launch_index(*expression)) return false;
    const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(expression);
    const auto* member = llvm::dyn_cast<clang::MemberExpr>(expression);
    const bool reaches = llvm::isa<clang::ArraySubscriptExpr>(expression) ||
                         (unary != nullptr && unary->getOpcode() == clang::UO_Deref) ||
                         (member != nullptr && member->isArrow());
    if (!reaches) return true;
    // `a[i][j]` of an array is reached at the outer subscript, and `&p[i]` reads nothing.
    for (auto it = ancestors.rbegin(); it != ancestors.rend(); ++it) {
      if (llvm::isa<clang::ParenExpr>(*it)) continue;
      const auto* cast = llvm::dyn_cast<clang::ImplicitCastExpr>(*it);
      if (cast != nullptr && cast->getCastKind() == clang::CK_ArrayToPointerDecay) return true;
      const auto* address = llvm::dyn_cast<clang::UnaryOperator>(*it);
      if (address != nullptr && address->getOpcode() == clang::UO_AddrOf) return true;
      break;
    }
    found.push_back(expression);
    return true;
  });
  return found;
}

}  // namespace geak::clang_tool::transforms
