#include "clang-tool/transforms/rounding_place.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>

#include <set>

#include "clang-tool/transforms/ast_queries.h"

namespace geak::clang_tool::transforms {
namespace {

/// Without what passes a value on as it is, or with its sign turned.
const clang::Expr& core(const clang::Expr& value) {
  const clang::Expr* at = value.IgnoreParenImpCasts();
  while (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(at)) {
    if (unary->getOpcode() != clang::UO_Minus && unary->getOpcode() != clang::UO_Plus) break;
    at = unary->getSubExpr()->IgnoreParenImpCasts();
  }
  return *at;
}

bool ends_in_a_product(const clang::Expr& value) {
  const clang::Expr& last = core(value);
  const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(&last);
  if (binary != nullptr) return binary->isMultiplicativeOp();
  // A load, a literal and a sum are rounded already; what a call or a choice ends in is not looked
  // at.
  return !llvm::isa<clang::ArraySubscriptExpr, clang::MemberExpr, clang::DeclRefExpr,
                    clang::FloatingLiteral>(&last);
}

class Consumers {
 public:
  explicit Consumers(const clang::Stmt& root) : root_(root) {}

  bool add(const clang::Expr& value) {
    bool sums = false;
    walk(root_, [&](const clang::Stmt& node, const Ancestors& ancestors) {
      if (&node == &value) sums = sums || is_added(value, ancestors);
      return !sums;
    });
    return sums;
  }

 private:
  bool is_added(const clang::Expr& value, const Ancestors& ancestors) {
    const clang::Stmt* below = &value;
    for (auto it = ancestors.rbegin(); it != ancestors.rend(); below = *it++) {
      if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(*it)) {
        if (binary->isComparisonOp()) return false;
        if (!binary->isAssignmentOp()) return !binary->isMultiplicativeOp();
        if (binary->getOpcode() != clang::BO_Assign) return true;
        const clang::VarDecl* variable = as_variable(*binary->getLHS());
        return binary->getRHS() == below && variable != nullptr && uses_are_added(*variable);
      }
      if (const auto* declaration = llvm::dyn_cast<clang::DeclStmt>(*it)) {
        for (const clang::Decl* declared : declaration->decls()) {
          const auto* variable = llvm::dyn_cast<clang::VarDecl>(declared);
          if (variable != nullptr && variable->getInit() == below)
            return variable->getType()->isReferenceType() || uses_are_added(*variable);
        }
        return true;
      }
      if (llvm::isa<clang::ParenExpr, clang::CastExpr, clang::UnaryOperator, clang::FullExpr>(*it))
        continue;
      // A called function may add it to something.
      return true;
    }
    return true;
  }

  bool uses_are_added(const clang::VarDecl& variable) {
    if (!seen_.insert(&variable).second) return false;
    bool sums = false;
    walk(root_, [&](const clang::Stmt& node, const Ancestors& ancestors) {
      const auto* use = llvm::dyn_cast<clang::DeclRefExpr>(&node);
      if (use == nullptr || use->getDecl() != &variable) return !sums;
      const bool is_target = !ancestors.empty() && is_assigned(*ancestors.back(), *use);
      sums = sums || (!is_target && is_added(*use, ancestors));
      return !sums;
    });
    return sums;
  }

  static bool is_assigned(const clang::Stmt& above, const clang::Expr& use) {
    const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(&above);
    return binary != nullptr && binary->getOpcode() == clang::BO_Assign && binary->getLHS() == &use;
  }

  const clang::Stmt& root_;
  std::set<const clang::VarDecl*> seen_;
};

}  // namespace

bool meets_a_sum(const clang::Expr& value, const clang::Stmt& root) {
  return ends_in_a_product(value) && Consumers(root).add(value);
}

}  // namespace geak::clang_tool::transforms
