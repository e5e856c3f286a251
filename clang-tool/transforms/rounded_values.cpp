#include "clang-tool/transforms/rounded_values.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>
#include <set>

#include "clang-tool/system_header.h"
#include "clang-tool/transforms/ast_queries.h"
#include "clang-tool/transforms/no_overlap.h"

namespace geak::clang_tool::transforms {
namespace {

bool is_floating(const clang::Expr& expression) {
  return expression.getType().getCanonicalType()->isFloatingType();
}

/// `x != x`, and the same of a float's bits: `(bits & 0x7fffffff) > 0x7f800000`. Rounding makes no
/// NaN of a number, nor a number of a NaN.
bool tests_for_nan(const clang::BinaryOperator& comparison, const clang::ASTContext& context) {
  const clang::Expr& left = *comparison.getLHS();
  const clang::Expr& right = *comparison.getRHS();
  if (comparison.getOpcode() == clang::BO_NE || comparison.getOpcode() == clang::BO_EQ)
    return is_floating(left) && as_variable(left) != nullptr &&
           as_variable(left) == as_variable(right);
  const auto* magnitude = llvm::dyn_cast<clang::BinaryOperator>(&stripped(left));
  return comparison.getOpcode() == clang::BO_GT && magnitude != nullptr &&
         magnitude->getOpcode() == clang::BO_And &&
         constant_value(*magnitude->getRHS(), context) == 0x7fffffff &&
         constant_value(right, context) == 0x7f800000;
}

/// Functions whose result jumps.
bool jumps(const clang::FunctionDecl& callee) {
  if (callee.getIdentifier() == nullptr) return false;
  const llvm::StringRef name = callee.getName();
  for (const char* part : {"floor", "ceil", "round", "rint", "trunc", "nearbyint", "fmod",
                           "remainder", "2int", "2uint", "2ll", "2ull", "signbit"})
    if (name.contains(part)) return true;
  return false;
}

/// A function of the unit's own that compares floats or makes integers of them.
bool decides_within(const clang::FunctionDecl& callee, unsigned depth = 0) {
  const clang::FunctionDecl* definition = callee.getDefinition();
  if (jumps(callee) || depth > 8) return true;
  if (definition == nullptr || !definition->hasBody()) return false;
  if (is_in_system_header(*definition)) return false;
  bool decides = false;
  const auto look_at = [&](const clang::Stmt& node, const Ancestors&) {
    const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(&node);
    const auto* cast = llvm::dyn_cast<clang::CastExpr>(&node);
    const auto* call = llvm::dyn_cast<clang::CallExpr>(&node);
    decides = decides ||
              (binary != nullptr && binary->isComparisonOp() && is_floating(*binary->getLHS()) &&
               !tests_for_nan(*binary, callee.getASTContext()));
    decides = decides || (cast != nullptr && (cast->getCastKind() == clang::CK_FloatingToIntegral ||
                                              cast->getCastKind() == clang::CK_FloatingToBoolean));
    if (call != nullptr && !decides)
      decides =
          call->getDirectCallee() == nullptr || decides_within(*call->getDirectCallee(), depth + 1);
    return !decides;
  };
  walk(*definition->getBody(), look_at);
  if (const auto* made = llvm::dyn_cast<clang::CXXConstructorDecl>(definition))
    for (const clang::CXXCtorInitializer* member : made->inits()) walk(*member->getInit(), look_at);
  return decides;
}

class Followed {
 public:
  Followed(const KernelView& kernel, const std::vector<const clang::Expr*>& values)
      : kernel_(kernel), values_(values.begin(), values.end()) {}

  std::optional<Refusal> decided() {
    for (std::size_t before = reached_.size() + 1; before != reached_.size();) {
      before = reached_.size();
      spread();
    }
    std::optional<Refusal> refusal;
    walk(kernel_.body(), [&](const clang::Stmt& node, const Ancestors&) {
      if (const auto* whole = llvm::dyn_cast<clang::Expr>(&node); whole && as_launch_index(*whole))
        return false;
      if (!refusal) refusal = decided_at(node);
      return !refusal;
    });
    if (lost_) return Refusal{"a rounded value goes to memory that nothing names"};
    return refusal;
  }

 private:
  /// Whether a rounded value, or what may hold one, is in the expression.
  bool mentions(const clang::Stmt* root) const {
    bool found = false;
    if (root == nullptr) return false;
    walk(*root, [&](const clang::Stmt& node, const Ancestors&) {
      const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&node);
      const auto* expression = llvm::dyn_cast<clang::Expr>(&node);
      found = found || (expression != nullptr && values_.contains(expression)) ||
              (reference != nullptr && reached_.contains(reference->getDecl()));
      return !found;
    });
    return found;
  }

  void reach(const clang::Expr& target) {
    const clang::Expr* at = &target;
    while (true) {
      if (const clang::VarDecl* variable = as_variable(*at)) {
        reached_.insert(variable);
        if (const auto origin = variable->getType()->isPointerType()
                                    ? pointer_origin(kernel_, *at, *at)
                                    : std::nullopt)
          reached_.insert(origin->parameter);
        return;
      }
      at = at->IgnoreParenCasts();
      if (const auto* element = llvm::dyn_cast<clang::ArraySubscriptExpr>(at)) {
        at = element->getBase()->IgnoreParenImpCasts();
      } else if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(at)) {
        at = member->getBase()->IgnoreParenImpCasts();
      } else if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(at)) {
        at = unary->getSubExpr()->IgnoreParenImpCasts();
      } else if (const auto* sum = llvm::dyn_cast<clang::BinaryOperator>(at);
                 sum != nullptr && sum->isAdditiveOp()) {
        const bool left = sum->getLHS()->getType()->isPointerType();
        at = (left ? sum->getLHS() : sum->getRHS())->IgnoreParenImpCasts();
      } else if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(at)) {
        reached_.insert(reference->getDecl());
        return;
      } else {
        lost_ = true;
        return;
      }
    }
  }

  /// One round of following: what is set from rounded values holds them.
  void spread() {
    walk(kernel_.body(), [&](const clang::Stmt& node, const Ancestors&) {
      if (const auto* statement = llvm::dyn_cast<clang::DeclStmt>(&node)) {
        for (const clang::Decl* declared : statement->decls()) {
          const auto* variable = llvm::dyn_cast<clang::VarDecl>(declared);
          if (variable != nullptr && variable->hasInit() && mentions(variable->getInit()))
            reached_.insert(variable);
        }
      } else if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(&node)) {
        if (binary->isAssignmentOp() && mentions(binary->getRHS())) reach(*binary->getLHS());
      } else if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&node)) {
        spread_by_call(*call);
      }
      return true;
    });
  }

  /// A call may store what it is given wherever else it is given an address.
  void spread_by_call(const clang::CallExpr& call) {
    if (std::ranges::none_of(call.arguments(),
                             [&](const clang::Expr* argument) { return mentions(argument); }))
      return;
    for (const clang::Expr* argument : call.arguments()) {
      const clang::Expr* plain = argument->IgnoreParenCasts();
      if (plain->getType()->isPointerType() || llvm::isa<clang::CXXOperatorCallExpr>(&call))
        if (plain->isLValue() || plain->getType()->isPointerType()) reach(*plain);
    }
  }

  std::optional<Refusal> decided_at(const clang::Stmt& node) const {
    const Refusal compared{"a rounded value would decide a comparison"};
    const Refusal integer{"a rounded value would become an integer"};
    if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(&node)) {
      if (binary->isComparisonOp() && !tests_for_nan(*binary, kernel_.unit.context()) &&
          (mentions(binary->getLHS()) || mentions(binary->getRHS())))
        return compared;
      if (binary->getType()->isPointerType() && binary->isAdditiveOp()) {
        const bool left = binary->getLHS()->getType()->isPointerType();
        if (mentions(left ? binary->getRHS() : binary->getLHS())) return integer;
      }
    } else if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(&node)) {
      const auto kind = cast->getCastKind();
      if ((kind == clang::CK_FloatingToIntegral || kind == clang::CK_FloatingToBoolean ||
           kind == clang::CK_IntegralToBoolean) &&
          mentions(cast->getSubExpr()))
        return integer;
    } else if (const auto* element = llvm::dyn_cast<clang::ArraySubscriptExpr>(&node)) {
      if (mentions(element->getIdx())) return integer;
    } else if (const auto* choice = llvm::dyn_cast<clang::SwitchStmt>(&node)) {
      if (mentions(choice->getCond())) return compared;
    } else if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&node)) {
      const bool given = std::ranges::any_of(
          call->arguments(), [&](const clang::Expr* argument) { return mentions(argument); });
      if (given && (call->getDirectCallee() == nullptr || decides_within(*call->getDirectCallee())))
        return Refusal{"a function compares a rounded value or makes an integer of it"};
    } else if (const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(&node)) {
      const bool given = std::ranges::any_of(
          made->arguments(), [&](const clang::Expr* argument) { return mentions(argument); });
      if (given && decides_within(*made->getConstructor()))
        return Refusal{"a class compares a rounded value or makes an integer of it"};
    } else if (llvm::isa<clang::LambdaExpr>(&node)) {
      return Refusal{"the kernel has a lambda"};
    }
    return std::nullopt;
  }

  const KernelView& kernel_;
  std::set<const clang::Expr*> values_;
  std::set<const clang::ValueDecl*> reached_;
  bool lost_ = false;
};

}  // namespace

std::optional<Refusal> decided_by(const KernelView& kernel,
                                  const std::vector<const clang::Expr*>& values) {
  return Followed(kernel, values).decided();
}

}  // namespace geak::clang_tool::transforms
