#include "clang-tool/transforms/accumulations.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Basic/SourceManager.h>

#include <algorithm>

#include "clang-tool/transforms/item_copies.h"
#include "clang-tool/transforms/wave_registers.h"

namespace geak::clang_tool::transforms {
namespace {

/// Whether nobody looks at the statement's value.
bool is_statement(const Ancestors& ancestors) {
  if (ancestors.empty()) return true;
  const clang::Stmt* parent = ancestors.back();
  if (llvm::isa<clang::CompoundStmt>(parent)) return true;
  return llvm::isa<clang::IfStmt, clang::ForStmt>(parent);
}

/// Of a `for`, only what stands in its body; of an `if`, only what it chooses between.
bool is_a_part(const clang::Stmt& statement, const Ancestors& ancestors) {
  if (ancestors.empty()) return true;
  if (const auto* branch = llvm::dyn_cast<clang::IfStmt>(ancestors.back()))
    return branch->getCond() != &statement && branch->getInit() != &statement;
  if (const auto* loop = llvm::dyn_cast<clang::ForStmt>(ancestors.back()))
    return loop->getBody() == &statement;
  return true;
}

std::optional<Combination> by_operator(clang::BinaryOperatorKind kind, bool floating) {
  switch (kind) {
    case clang::BO_AddAssign:
    case clang::BO_SubAssign:
    case clang::BO_Add:
      return Combination::sum;
    case clang::BO_MulAssign:
    case clang::BO_Mul:
      return Combination::product;
    case clang::BO_AndAssign:
    case clang::BO_And:
      return floating ? std::nullopt : std::optional(Combination::all_bits);
    case clang::BO_OrAssign:
    case clang::BO_Or:
      return floating ? std::nullopt : std::optional(Combination::any_bits);
    case clang::BO_XorAssign:
    case clang::BO_Xor:
      return floating ? std::nullopt : std::optional(Combination::odd_bits);
    default:
      return std::nullopt;
  }
}

/// The operation does not leave the variable's own kind of number, so that another order only
/// rounds otherwise: no integer takes in a float, no float a double's sum.
bool stays_in_type(clang::QualType computed, const clang::VarDecl& variable) {
  const clang::QualType own = variable.getType().getCanonicalType().getUnqualifiedType();
  if (own->isFloatingType()) return computed->isFloatingType();
  const clang::ASTContext& context = variable.getASTContext();
  return computed->isIntegerType() && context.getTypeSize(computed) >= context.getTypeSize(own);
}

/// Casts that are looked through must not cut off what the variable holds.
bool cuts_off(const clang::Expr& expression, const clang::VarDecl& variable) {
  const clang::ASTContext& context = variable.getASTContext();
  const clang::Expr* at = expression.IgnoreParenImpCasts();
  while (const auto* cast = llvm::dyn_cast<clang::ExplicitCastExpr>(at)) {
    if (context.getTypeSize(cast->getType()) < context.getTypeSize(variable.getType())) return true;
    at = cast->getSubExpr()->IgnoreParenImpCasts();
  }
  return false;
}

class Finder {
 public:
  Finder(const KernelView& kernel, const CountedLoop& loop) : kernel_(kernel), loop_(loop) {}

  std::optional<std::vector<Accumulation>> find(std::string& problem) {
    const clang::Stmt& body = *loop_.statement->getBody();
    walk(body, [&](const clang::Stmt& node, const Ancestors& ancestors) {
      if (!is_statement(ancestors) || !is_a_part(node, ancestors)) return true;
      return !take(node);
    });
    for (const clang::VarDecl* variable : variables_in(body)) {
      if (is_own(*variable) || !may_change(body, *variable) || !variable->isLocalVarDeclOrParm())
        continue;
      if (!covers(body, *variable)) {
        problem = variable->getNameAsString() + " is handed on from round to round";
        return std::nullopt;
      }
    }
    return std::move(found_);
  }

 private:
  bool is_own(const clang::VarDecl& variable) const {
    const auto loop = kernel_.source.range(*loop_.statement);
    const auto at = kernel_.source.offset(variable.getLocation());
    return loop && at && *at >= loop->begin && *at < loop->end;
  }

  bool can_gather(const clang::VarDecl* variable) const {
    return variable != nullptr && variable->isLocalVarDecl() && variable->hasLocalStorage() &&
           !is_own(*variable) && can_be_shuffled(variable->getType());
  }

  bool take(const clang::Stmt& statement) {
    if (const auto* branch = llvm::dyn_cast<clang::IfStmt>(&statement)) return take_branch(*branch);
    const auto* expression = llvm::dyn_cast<clang::Expr>(&statement);
    if (expression == nullptr) return false;
    const clang::Expr& plain = stripped(*expression);
    if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(&plain))
      return unary->isIncrementDecrementOp() && take_count(*unary, statement);
    const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(&plain);
    if (binary == nullptr || !binary->isAssignmentOp()) return false;
    const clang::VarDecl* variable = as_variable(*binary->getLHS());
    if (!can_gather(variable)) return false;
    if (const auto* compound = llvm::dyn_cast<clang::CompoundAssignOperator>(binary))
      return take_sum(*variable, compound->getOpcode(), compound->getComputationResultType(),
                      *compound->getRHS(), statement);
    return !cuts_off(*binary->getRHS(), *variable) &&
           take_assignment(*variable, stripped(*binary->getRHS()), statement);
  }

  bool take_count(const clang::UnaryOperator& unary, const clang::Stmt& place) {
    const clang::VarDecl* variable = as_variable(*unary.getSubExpr());
    return can_gather(variable) && add({.variable = variable, .places = {&place}});
  }

  bool take_sum(const clang::VarDecl& variable, clang::BinaryOperatorKind operation,
                clang::QualType computed, const clang::Expr& value, const clang::Stmt& place) {
    const auto combination = by_operator(operation, computed->isFloatingType());
    if (!combination || mentions(value, variable) || !stays_in_type(computed, variable))
      return false;
    return add({.variable = &variable, .combination = *combination, .places = {&place}});
  }

  /// `v = v + e`, `v = fmaxf(v, e)`, `v = e > v ? e : v`.
  bool take_assignment(const clang::VarDecl& variable, const clang::Expr& value,
                       const clang::Stmt& place) {
    if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(&value)) {
      const bool left = as_variable(*binary->getLHS()) == &variable;
      if (!left && as_variable(*binary->getRHS()) != &variable) return false;
      if (cuts_off(left ? *binary->getLHS() : *binary->getRHS(), variable)) return false;
      if (left && binary->getOpcode() == clang::BO_Sub)
        return take_sum(variable, clang::BO_SubAssign, binary->getType(), *binary->getRHS(), place);
      return take_sum(variable, binary->getOpcode(), binary->getType(),
                      left ? *binary->getRHS() : *binary->getLHS(), place);
    }
    if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&value))
      return take_call(variable, *call, place);
    const auto* choice = llvm::dyn_cast<clang::ConditionalOperator>(&value);
    if (choice == nullptr) return false;
    const bool better = as_variable(*choice->getFalseExpr()) == &variable;
    if (!better && as_variable(*choice->getTrueExpr()) != &variable) return false;
    // `v = v > e ? v : e` takes a NaN in and forgets what was before.
    if (!better && variable.getType()->isFloatingType()) return false;
    const clang::Expr& other = better ? *choice->getTrueExpr() : *choice->getFalseExpr();
    const auto compared = comparison(*choice->getCond(), variable, other);
    if (!compared) return false;
    const bool greatest = compared->greater == better;
    return add({.variable = &variable,
                .combination = greatest ? Combination::greatest : Combination::least,
                .places = {&place}});
  }

  bool take_call(const clang::VarDecl& variable, const clang::CallExpr& call,
                 const clang::Stmt& place) {
    const auto extreme = as_extreme(call);
    if (!extreme) return false;
    const clang::FunctionDecl& callee = *call.getDirectCallee();
    const clang::QualType type = call.getType().getNonReferenceType().getCanonicalType();
    if (!kernel_.unit.context().hasSameUnqualifiedType(type, variable.getType())) return false;
    const bool left = as_variable(*call.getArg(0)) == &variable;
    if (!left && as_variable(*call.getArg(1)) != &variable) return false;
    if (mentions(*call.getArg(left ? 1 : 0), variable)) return false;
    // That of std is a comparison, which takes a NaN in where it comes first.
    if (!left && type->isFloatingType() && callee.isInStdNamespace() &&
        (callee.getName() == "min" || callee.getName() == "max"))
      return false;
    return add(
        {.variable = &variable,
         .combination = *extreme == Extreme::least ? Combination::least : Combination::greatest,
         .function = type->isFloatingType() ? callee.getQualifiedNameAsString() : "",
         .places = {&place}});
  }

  struct Compared {
    bool greater, equal_too;  ///< that the other value is to be
  };

  /// How a condition compares the variable to `other`, which stands there in the same words.
  std::optional<Compared> comparison(const clang::Expr& condition, const clang::VarDecl& variable,
                                     const clang::Expr& other) const {
    const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(&stripped(condition));
    if (binary == nullptr || !binary->isRelationalOp()) return std::nullopt;
    const bool left = as_variable(*binary->getLHS()) == &variable;
    if (!left && as_variable(*binary->getRHS()) != &variable) return std::nullopt;
    const clang::Expr& compared = left ? *binary->getRHS() : *binary->getLHS();
    const auto& context = kernel_.unit.context();
    const std::string words = kernel_.source.text(stripped(compared));
    // What is compared is the very value that is taken: same words, no conversion, no effects.
    if (words.empty() || words != kernel_.source.text(stripped(other)) ||
        mentions(compared, variable) || !is_pure(compared, context) ||
        !context.hasSameUnqualifiedType(compared.getType(), variable.getType()) ||
        !context.hasSameUnqualifiedType(stripped(compared).getType(), variable.getType()))
      return std::nullopt;
    const auto kind = binary->getOpcode();
    const bool less = kind == clang::BO_LT || kind == clang::BO_LE;
    return Compared{less == left, kind == clang::BO_LE || kind == clang::BO_GE};
  }

  /// `if (e > best) { best = e; where = i; }`, which may ask for more by `&&`.
  bool take_branch(const clang::IfStmt& branch) {
    if (branch.getElse() != nullptr || branch.getInit() != nullptr || branch.hasVarStorage() ||
        branch.isConstexpr())
      return false;
    std::vector<std::pair<const clang::VarDecl*, const clang::Expr*>> set;
    for (const clang::Stmt* statement : statements_of(*branch.getThen())) {
      const auto* expression = llvm::dyn_cast<clang::Expr>(statement);
      const auto* assignment = expression == nullptr
                                   ? nullptr
                                   : llvm::dyn_cast<clang::BinaryOperator>(&stripped(*expression));
      if (assignment == nullptr || assignment->getOpcode() != clang::BO_Assign ||
          !can_gather(as_variable(*assignment->getLHS())))
        return false;
      set.emplace_back(as_variable(*assignment->getLHS()), assignment->getRHS());
    }
    for (const auto& [variable, value] : set)
      if (const auto compared = demanded(*branch.getCond(), *variable, *value, set))
        return add_choice(branch, *variable, *compared, set);
    return false;
  }

  using Assignments = std::vector<std::pair<const clang::VarDecl*, const clang::Expr*>>;

  /// The comparison among the parts of a condition; no part looks at what is set.
  std::optional<Compared> demanded(const clang::Expr& condition, const clang::VarDecl& variable,
                                   const clang::Expr& value, const Assignments& set) const {
    const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(&stripped(condition));
    if (binary != nullptr && binary->getOpcode() == clang::BO_LAnd) {
      const auto left = demanded(*binary->getLHS(), variable, value, set);
      const clang::Expr& rest = left ? *binary->getRHS() : *binary->getLHS();
      const auto compared = left ? left : demanded(*binary->getRHS(), variable, value, set);
      const bool looks = std::ranges::any_of(
          set, [&](const auto& assignment) { return mentions(rest, *assignment.first); });
      return looks || !is_pure(rest, kernel_.unit.context()) ? std::nullopt : compared;
    }
    return comparison(condition, variable, value);
  }

  bool add_choice(const clang::IfStmt& branch, const clang::VarDecl& best, Compared compared,
                  const Assignments& set) {
    Accumulation choice{
        .variable = &best,
        .combination = compared.greater ? Combination::greatest : Combination::least,
        .last = compared.equal_too,
        .places = {&branch}};
    for (const auto& [variable, value] : set) {
      for (const auto& other : set)
        if (mentions(*value, *other.first)) return false;
      if (variable != &best) choice.noted.push_back(variable);
    }
    // One branch that notes something else than another one is not put together again.
    const bool again = std::ranges::any_of(set, [&](const auto& assignment) {
      return std::ranges::count(set, assignment.first, [](const auto& one) { return one.first; }) >
             1;
    });
    return !again && add(std::move(choice));
  }

  bool add(Accumulation one) {
    for (Accumulation& known : found_) {
      if (known.variable != one.variable) continue;
      if (known.combination != one.combination || known.function != one.function ||
          !known.noted.empty() || !one.noted.empty())
        return false;
      known.places.push_back(one.places.front());
      return true;
    }
    found_.push_back(std::move(one));
    return true;
  }

  /// Every mention of the variable stands in a place that takes something in.
  bool covers(const clang::Stmt& body, const clang::VarDecl& variable) const {
    const Accumulation* by = nullptr;
    for (const Accumulation& known : found_)
      if (known.variable == &variable || std::ranges::count(known.noted, &variable) > 0) {
        if (by != nullptr) return false;
        by = &known;
      }
    if (by == nullptr) return false;
    bool all = true;
    walk(body, [&](const clang::Stmt& node, const Ancestors& ancestors) {
      const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&node);
      if (reference == nullptr || reference->getDecl() != &variable) return all;
      all = all && std::ranges::any_of(by->places, [&](const clang::Stmt* place) {
              return place == &node || std::ranges::find(ancestors, place) != ancestors.end();
            });
      return all;
    });
    return all;
  }

  const KernelView& kernel_;
  const CountedLoop& loop_;
  std::vector<Accumulation> found_;
};

}  // namespace

std::optional<std::vector<Accumulation>> accumulations(const KernelView& kernel,
                                                       const CountedLoop& loop,
                                                       std::string& problem) {
  return Finder(kernel, loop).find(problem);
}

}  // namespace geak::clang_tool::transforms
