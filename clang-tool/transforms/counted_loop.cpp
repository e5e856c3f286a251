#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/Stmt.h>

#include "clang-tool/transforms/ast_queries.h"

namespace geak::clang_tool::transforms {
namespace {

const clang::VarDecl* single_variable(const clang::Stmt* init) {
  const auto* declaration = llvm::dyn_cast_or_null<clang::DeclStmt>(init);
  if (declaration == nullptr || !declaration->isSingleDecl()) return nullptr;
  const auto* variable = llvm::dyn_cast<clang::VarDecl>(declaration->getSingleDecl());
  const bool fits = variable != nullptr && variable->hasInit() &&
                    variable->getType()->isIntegerType() && !variable->getType()->isBooleanType();
  return fits ? variable : nullptr;
}

std::optional<std::int64_t> step_of(const clang::Expr* increment, const clang::VarDecl& variable,
                                    const clang::ASTContext& context) {
  if (increment == nullptr) return std::nullopt;
  const clang::Expr& plain = stripped(*increment);
  if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(&plain))
    return unary->isIncrementOp() && as_variable(*unary->getSubExpr()) == &variable
               ? std::optional<std::int64_t>(1)
               : std::nullopt;
  const auto* compound = llvm::dyn_cast<clang::CompoundAssignOperator>(&plain);
  if (compound == nullptr || compound->getOpcode() != clang::BO_AddAssign ||
      as_variable(*compound->getLHS()) != &variable)
    return std::nullopt;
  const auto value = constant_value(*compound->getRHS(), context);
  return value && *value > 0 ? value : std::nullopt;
}

bool compares(const clang::BinaryOperator& condition, const clang::VarDecl& variable) {
  return (condition.getOpcode() == clang::BO_LT || condition.getOpcode() == clang::BO_LE) &&
         as_variable(*condition.getLHS()) == &variable;
}

std::optional<CountedLoop> read_loop(const clang::Stmt& statement, const clang::ASTContext& context,
                                     bool bounded) {
  const auto* loop = llvm::dyn_cast<clang::ForStmt>(&statement);
  if (loop == nullptr || loop->getCond() == nullptr || loop->getConditionVariable() != nullptr)
    return std::nullopt;
  const clang::VarDecl* variable = single_variable(loop->getInit());
  const auto* condition = llvm::dyn_cast<clang::BinaryOperator>(&stripped(*loop->getCond()));
  if (variable == nullptr || condition == nullptr) return std::nullopt;
  const clang::Expr* also = nullptr;
  if (bounded && condition->getOpcode() == clang::BO_LAnd) {
    also = condition->getRHS();
    condition = llvm::dyn_cast<clang::BinaryOperator>(&stripped(*condition->getLHS()));
  }
  if (condition == nullptr || !compares(*condition, *variable)) return std::nullopt;
  const auto step = step_of(loop->getInc(), *variable, context);
  if (!step || may_change(*loop->getBody(), *variable)) return std::nullopt;

  CountedLoop counted;
  counted.statement = loop;
  counted.variable = variable;
  counted.begin = variable->getInit();
  counted.end = condition->getRHS();
  counted.end_included = condition->getOpcode() == clang::BO_LE;
  counted.step = *step;
  counted.leaves = leaves_loop(*loop->getBody());
  counted.also = also;
  counted.first = constant_value(*counted.begin, context);
  const auto last = constant_value(*counted.end, context);
  if (counted.first && last) {
    const std::int64_t distance = *last + (counted.end_included ? 1 : 0) - *counted.first;
    counted.trips = distance <= 0 ? 0 : (distance + *step - 1) / *step;
  }
  return counted;
}

}  // namespace

bool leaves_loop(const clang::Stmt& body) {
  bool leaves = false;
  walk(body, [&](const clang::Stmt& node, const Ancestors& ancestors) {
    if (llvm::isa<clang::ReturnStmt, clang::GotoStmt, clang::IndirectGotoStmt>(&node))
      leaves = true;
    if (llvm::isa<clang::BreakStmt>(&node)) {
      bool own = true;
      for (const clang::Stmt* ancestor : ancestors)
        own = own && !llvm::isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt, clang::SwitchStmt>(
                         ancestor);
      leaves = leaves || own;
    }
    return !llvm::isa<clang::LambdaExpr>(&node);
  });
  return leaves;
}

std::optional<CountedLoop> as_counted_loop(const clang::Stmt& statement,
                                           const clang::ASTContext& context) {
  return read_loop(statement, context, false);
}

std::optional<CountedLoop> as_bounded_loop(const clang::Stmt& statement,
                                           const clang::ASTContext& context) {
  return read_loop(statement, context, true);
}

std::optional<StridedLoop> as_strided_head(const clang::Stmt& statement,
                                           const clang::ASTContext& context) {
  const auto* loop = llvm::dyn_cast<clang::ForStmt>(&statement);
  if (loop == nullptr || loop->getCond() == nullptr || loop->getInc() == nullptr ||
      loop->getConditionVariable() != nullptr)
    return std::nullopt;
  const clang::VarDecl* variable = single_variable(loop->getInit());
  const auto* condition = llvm::dyn_cast<clang::BinaryOperator>(&stripped(*loop->getCond()));
  if (variable == nullptr || condition == nullptr || condition->getOpcode() != clang::BO_LT ||
      as_variable(*condition->getLHS()) != variable)
    return std::nullopt;
  // A comparison of a part of the variable's bits says nothing of the variable.
  if (context.getTypeSize(condition->getLHS()->getType()) <
      context.getTypeSize(variable->getType()))
    return std::nullopt;
  const auto* increment = llvm::dyn_cast<clang::CompoundAssignOperator>(&stripped(*loop->getInc()));
  if (increment == nullptr || increment->getOpcode() != clang::BO_AddAssign ||
      as_variable(*increment->getLHS()) != variable || may_change(*loop->getBody(), *variable))
    return std::nullopt;
  return StridedLoop{loop, variable, variable->getInit(), condition->getRHS(), increment->getRHS()};
}

std::optional<StridedLoop> as_strided_loop(const clang::Stmt& statement,
                                           const clang::ASTContext& context) {
  auto loop = as_strided_head(statement, context);
  return loop && !leaves_loop(*loop->statement->getBody()) ? loop : std::nullopt;
}

}  // namespace geak::clang_tool::transforms
