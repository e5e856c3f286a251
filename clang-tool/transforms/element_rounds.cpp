#include "clang-tool/transforms/element_rounds.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/Stmt.h>

#include <algorithm>
#include <utility>

#include "clang-tool/transforms/global_index.h"
#include "clang-tool/transforms/item_copies.h"

namespace geak::clang_tool::transforms {
namespace {

/// Follows variables that keep the value that they begin with.
const clang::Expr& followed(const KernelView& kernel, const clang::Expr& expression) {
  const clang::Expr* at = &stripped(expression);
  for (unsigned depth = 0; depth < 8; ++depth) {
    const clang::VarDecl* variable = as_variable(*at);
    if (variable == nullptr || !variable->isLocalVarDecl() || !variable->hasInit() ||
        !variable->getType()->isIntegerType() ||
        kernel.unit.context().getTypeSize(variable->getType()) < 32 ||
        may_change(kernel.body(), *variable))
      break;
    at = &stripped(*variable->getInit());
  }
  return *at;
}

bool is_index(const clang::Expr& expression, LaunchValue value) {
  const auto index = as_launch_index(expression);
  return index && *index == LaunchIndex{value, 0};
}

bool is_grid_size(const KernelView& kernel, const clang::Expr& expression, const Draft& draft) {
  const auto product = as_product(expression);
  if (!product) return false;
  const clang::Expr& left = followed(kernel, *product->first);
  const clang::Expr& right = followed(kernel, *product->second);
  return (is_index(left, LaunchValue::grid_size) && is_block_size(kernel, right, 0, draft)) ||
         (is_index(right, LaunchValue::grid_size) && is_block_size(kernel, left, 0, draft));
}

}  // namespace

std::optional<std::pair<const clang::Expr*, const clang::Expr*>> as_product(
    const clang::Expr& expression) {
  if (const auto* product = llvm::dyn_cast<clang::BinaryOperator>(&expression))
    if (product->getOpcode() == clang::BO_Mul) return {{product->getLHS(), product->getRHS()}};
  // The operator takes copies of them.
  const auto* call = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&expression);
  if (call == nullptr || call->getOperator() != clang::OO_Star || call->getNumArgs() != 2)
    return std::nullopt;
  const auto* left = llvm::dyn_cast<clang::CXXConstructExpr>(call->getArg(0));
  const auto* right = llvm::dyn_cast<clang::CXXConstructExpr>(call->getArg(1));
  if (left == nullptr || right == nullptr || left->getNumArgs() != 1 || right->getNumArgs() != 1)
    return std::nullopt;
  return {{left->getArg(0), right->getArg(0)}};
}

std::optional<ElementRounds::Spread> spread_of(const KernelView& kernel, const StridedLoop& loop,
                                               const Draft& draft) {
  const clang::Expr& begin = followed(kernel, *loop.begin);
  const clang::Expr& step = followed(kernel, *loop.step);
  if (is_index(begin, LaunchValue::thread) && is_block_size(kernel, step, 0, draft))
    return ElementRounds::Spread::workgroup;
  if (is_global_index(kernel, begin, 0, draft) && is_grid_size(kernel, step, draft))
    return ElementRounds::Spread::grid;
  return std::nullopt;
}

namespace {

/// Statements that control goes through only where a condition that is the same for all holds.
bool all_pass(const KernelView& kernel, const ElementRounds& rounds, const Ancestors& ancestors) {
  return std::ranges::all_of(ancestors, [&](const clang::Stmt* ancestor) {
    if (llvm::isa<clang::CompoundStmt>(ancestor)) return true;
    const auto* branch = llvm::dyn_cast<clang::IfStmt>(ancestor);
    return branch != nullptr && branch->getInit() == nullptr && !branch->hasVarStorage() &&
           is_same_for_all(kernel, rounds, *branch->getCond());
  });
}

/// Whether either all or none of the work-items have returned where the rounds begin.
bool none_returned_alone(const KernelView& kernel, const ElementRounds& rounds) {
  bool together = true;
  walk(kernel.body(), [&](const clang::Stmt& node, const Ancestors& ancestors) {
    if (llvm::isa<clang::GotoStmt, clang::IndirectGotoStmt>(&node)) together = false;
    if (!llvm::isa<clang::ReturnStmt>(&node)) return together;
    const auto at = kernel.source.range(node);
    const bool later = at && at->begin >= rounds.extent.end;
    together = together && (later || all_pass(kernel, rounds, ancestors));
    return together;
  });
  return together;
}

/// The bound of `number >= bound` among the alternatives of a condition, or of `number < bound`.
const clang::Expr* bound_in(const clang::Expr& condition, const clang::VarDecl& number, bool inside,
                            const clang::ASTContext& context,
                            std::vector<const clang::Expr*>& others) {
  const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(&stripped(condition));
  if (binary != nullptr && binary->getOpcode() == clang::BO_LOr && !inside) {
    const clang::Expr* left = bound_in(*binary->getLHS(), number, inside, context, others);
    const clang::Expr* right = bound_in(*binary->getRHS(), number, inside, context, others);
    return left != nullptr && right != nullptr ? nullptr : left != nullptr ? left : right;
  }
  const auto compares = [&](const clang::Expr& side, clang::BinaryOperatorKind kind) {
    return binary->getOpcode() == kind && as_variable(side) == &number &&
           context.getTypeSize(side.getType()) >= context.getTypeSize(number.getType());
  };
  if (binary != nullptr) {
    if (compares(*binary->getLHS(), inside ? clang::BO_LT : clang::BO_GE)) return binary->getRHS();
    if (compares(*binary->getRHS(), inside ? clang::BO_GT : clang::BO_LE)) return binary->getLHS();
  }
  others.push_back(&condition);
  return nullptr;
}

bool declares_values(const clang::Stmt& statement) {
  const auto* declaration = llvm::dyn_cast<clang::DeclStmt>(&statement);
  return declaration != nullptr &&
         std::ranges::all_of(declaration->decls(), [](const clang::Decl* declared) {
           const auto* variable = llvm::dyn_cast<clang::VarDecl>(declared);
           return variable == nullptr || variable->hasLocalStorage();
         });
}

/// The declaration of the work-item's number, where that is all that its place is used for.
const clang::DeclStmt* number_declaration(const KernelView& kernel, const GlobalIndex& index) {
  if (index.uses.size() != 1) return nullptr;
  for (const clang::Stmt* statement : kernel.body().body()) {
    const auto* declaration = llvm::dyn_cast<clang::DeclStmt>(statement);
    if (declaration == nullptr || !declaration->isSingleDecl()) continue;
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(declaration->getSingleDecl());
    if (variable == nullptr || !variable->hasInit() || !variable->getType()->isIntegerType() ||
        kernel.unit.context().getTypeSize(variable->getType()) < 32)
      continue;
    const clang::Expr& begin = stripped(*variable->getInit());
    if (&begin == index.uses.front() && !may_change(kernel.body(), *variable)) return declaration;
  }
  return nullptr;
}

bool returns(const clang::Stmt& statement) {
  bool found = false;
  walk(statement, [&](const clang::Stmt& node, const Ancestors&) {
    found = found || llvm::isa<clang::ReturnStmt, clang::GotoStmt>(&node);
    return !found;
  });
  return found;
}

/// Splits what follows the number's declaration into the bound and the rounds' body.
std::optional<Refusal> take_items(const KernelView& kernel,
                                  const std::vector<const clang::Stmt*>& rest,
                                  ElementRounds& rounds) {
  const clang::ASTContext& context = kernel.unit.context();
  bool only_declared = true;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const clang::Stmt& statement = *rest[i];
    std::vector<const clang::Expr*> others;
    const clang::Expr* leave = as_early_return(statement);
    if (leave != nullptr && only_declared && rounds.end == nullptr) {
      rounds.end = bound_in(*leave, *rounds.variable, false, context, others);
      rounds.other_ways_out = std::move(others);
      if (rounds.end == nullptr) return Refusal{"an early return depends on more than a bound"};
      continue;
    }
    // A branch whose condition is the bound is all that happens; any other is part of the round.
    const auto* branch = llvm::dyn_cast<clang::IfStmt>(&statement);
    bool guarded = false;
    if (branch != nullptr && i + 1 == rest.size() && only_declared && rounds.end == nullptr &&
        branch->getElse() == nullptr && branch->getInit() == nullptr && !branch->hasVarStorage()) {
      rounds.end = bound_in(*branch->getCond(), *rounds.variable, true, context, others);
      guarded = rounds.end != nullptr && others.empty();
    }
    if (returns(statement)) return Refusal{"single items may return"};
    rounds.body.push_back(guarded ? branch->getThen() : &statement);
    only_declared = only_declared && declares_values(statement) && is_pure(statement, context);
  }
  return std::nullopt;
}

}  // namespace

bool ElementRounds::is_own(const KernelView& kernel, const clang::VarDecl& declared) const {
  const auto at = kernel.source.offset(declared.getLocation());
  return at && *at >= extent.begin && *at < extent.end;
}

std::vector<ElementRounds> element_loops(const KernelView& kernel, const Draft& draft) {
  std::vector<ElementRounds> found;
  walk(kernel.body(), [&](const clang::Stmt& node, const Ancestors& ancestors) {
    const auto loop = as_strided_loop(node, kernel.unit.context());
    if (!loop) return !llvm::isa<clang::LambdaExpr>(&node);
    const auto spread = spread_of(kernel, *loop, draft);
    const auto extent = kernel.source.statement_range(*loop->statement->getBody());
    const clang::Stmt& body = *loop->statement->getBody();
    if (!spread || !extent || holds_any<clang::ContinueStmt>(body) ||
        kernel.unit.context().getTypeSize(loop->variable->getType()) < 32)
      return true;
    ElementRounds rounds;
    rounds.spread = *spread;
    rounds.variable = loop->variable;
    rounds.body = {&body};
    rounds.end = loop->end;
    rounds.extent = *extent;
    rounds.loop = loop;
    if (all_pass(kernel, rounds, ancestors) && none_returned_alone(kernel, rounds))
      found.push_back(std::move(rounds));
    return false;
  });
  return found;
}

std::variant<ElementRounds, Refusal> element_items(const KernelView& kernel, const Draft& draft) {
  auto index = global_index(kernel, 0, draft);
  if (auto* refusal = std::get_if<Refusal>(&index)) return *refusal;
  ElementRounds rounds;
  rounds.spread = ElementRounds::Spread::grid;
  rounds.number = number_declaration(kernel, std::get<GlobalIndex>(index));
  const auto body = kernel.source.range(kernel.body());
  const auto number =
      rounds.number == nullptr ? std::nullopt : kernel.source.statement_range(*rounds.number);
  if (!number || !body) return Refusal{"no variable of the kernel's block is the item's number"};
  rounds.variable = llvm::cast<clang::VarDecl>(rounds.number->getSingleDecl());
  rounds.extent = {number->end, body->end};
  std::vector<const clang::Stmt*> rest;
  bool seen = false;
  for (const clang::Stmt* statement : kernel.body().body()) {
    if (seen) {
      rest.push_back(statement);
      continue;
    }
    seen = statement == rounds.number;
    const clang::Expr* leave = as_early_return(*statement);
    const bool plain = leave != nullptr ? is_same_for_all(kernel, rounds, *leave)
                                        : declares_values(*statement) &&
                                              is_pure(*statement, kernel.unit.context());
    if (!plain && !seen) return Refusal{"the kernel works before it knows the item's number"};
  }
  if (auto refusal = take_items(kernel, rest, rounds)) return *refusal;
  if (rounds.body.empty()) return Refusal{"an item does nothing"};
  return rounds;
}

}  // namespace geak::clang_tool::transforms
