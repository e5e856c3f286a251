#include "clang-tool/transforms/tile_loop.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Basic/SourceManager.h>

#include <algorithm>

#include "clang-tool/transforms/memory_accesses.h"
#include "clang-tool/transforms/memory_effects.h"
#include "clang-tool/transforms/no_overlap.h"
#include "clang-tool/transforms/uniform_values.h"
#include "clang-tool/transforms/workgroup_run.h"

namespace geak::clang_tool::transforms {
namespace {

bool is_lds(const clang::Expr& lvalue) {
  const clang::VarDecl* variable = root_variable(lvalue);
  return variable != nullptr && variable->hasAttr<clang::CUDASharedAttr>();
}

/// `lds[...] = value`, of numbers or of HIP's vectors.
std::optional<Copying> as_store(const clang::Stmt& statement) {
  const auto* expression = llvm::dyn_cast<clang::Expr>(&statement);
  if (expression == nullptr) return std::nullopt;
  const auto store = as_copying(stripped(*expression));
  if (!store) return std::nullopt;
  const clang::QualType type = store->target->getType();
  if (!is_lds(*store->target) || type.isVolatileQualified() || type->isReferenceType())
    return std::nullopt;
  return store;
}

bool declares_lds(const clang::DeclStmt& statement) {
  return std::ranges::all_of(statement.decls(), [](const clang::Decl* declared) {
    return declared->hasAttr<clang::CUDASharedAttr>();
  });
}

/// No effects; calls that work out a value included.
bool only_computes(const clang::Expr& expression) {
  bool computes = true;
  walk(expression, [&](const clang::Stmt& node, const Ancestors&) {
    const auto* whole = llvm::dyn_cast<clang::Expr>(&node);
    if (whole == nullptr) computes = false;
    if (whole == nullptr || as_launch_index(*whole)) return false;
    if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(whole))
      computes = !unary->isIncrementDecrementOp() && unary->getOpcode() != clang::UO_AddrOf;
    else if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(whole))
      computes = !binary->isAssignmentOp();
    else if (const auto* call = llvm::dyn_cast<clang::CallExpr>(whole))
      computes = is_pure_call(*call);
    else if (const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(whole))
      computes = made->getConstructor()->isCopyOrMoveConstructor();
    else
      computes = !llvm::isa<clang::LambdaExpr, clang::CXXNewExpr, clang::CXXDeleteExpr,
                            clang::AtomicExpr, clang::StmtExpr>(whole);
    computes = computes && !whole->getType().isVolatileQualified();
    return computes;
  });
  return computes;
}

class Reader {
 public:
  Reader(const KernelView& kernel, const clang::ForStmt& loop, Draft& draft)
      : kernel_(kernel), draft_(draft), body_(*loop.getBody()) {
    found_.statement = &loop;
  }

  std::optional<TileLoop> read(std::string& why) {
    if (auto problem = problem_of_head())
      why = *problem;
    else if (auto in_body = problem_of_body())
      why = *in_body;
    else
      return found_;
    return std::nullopt;
  }

 private:
  std::optional<std::string> problem_of_head() {
    const clang::ForStmt& loop = *found_.statement;
    if (loop.getCond() == nullptr || loop.getInc() == nullptr ||
        loop.getConditionVariable() != nullptr)
      return "the loop's head lacks a condition or a step";
    for (const clang::VarDecl* variable : variables_in(*loop.getInc()))
      if (may_change(*loop.getInc(), *variable)) {
        if (!variable->isLocalVarDecl() || !variable->hasLocalStorage() ||
            !variable->getType()->isScalarType() || may_change(body_, *variable) ||
            may_change(*loop.getCond(), *variable))
          return "the loop's variables are changed in its body";
        found_.heads.push_back(variable);
      }
    if (found_.heads.empty()) return "the loop's head steps no variable";
    if (!steps_variables_alone(*loop.getInc())) return "the loop's step does more than to step";
    if (!may_be_early(*loop.getCond()) || !memory_reads(*loop.getCond()).empty())
      return "the loop's condition depends on what its rounds do";
    return std::nullopt;
  }

  /// Assignments of the head's variables, by what stays; a comma between several.
  bool steps_variables_alone(const clang::Expr& step) const {
    const clang::Expr& plain = stripped(step);
    if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(&plain))
      return unary->isIncrementDecrementOp() && as_variable(*unary->getSubExpr()) != nullptr;
    const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(&plain);
    if (binary == nullptr) return false;
    if (binary->getOpcode() == clang::BO_Comma)
      return steps_variables_alone(*binary->getLHS()) && steps_variables_alone(*binary->getRHS());
    return binary->isAssignmentOp() && as_variable(*binary->getLHS()) != nullptr &&
           may_be_early(*binary->getRHS()) && memory_reads(*binary->getRHS()).empty();
  }

  std::optional<std::string> problem_of_body() {
    const auto* block = llvm::dyn_cast<clang::CompoundStmt>(&body_);
    if (block == nullptr) return "the loop has no barrier";
    if (holds_any<clang::BreakStmt, clang::ContinueStmt, clang::ReturnStmt, clang::GotoStmt,
                  clang::LabelStmt, clang::LambdaExpr>(body_))
      return "the loop is left from within";
    for (const clang::Stmt* inner : block->body()) {
      if (found_.barrier != nullptr)
        found_.working.push_back(inner);
      else if (is_workgroup_barrier(*inner) && !found_.stores.empty())
        found_.barrier = inner;
      else if (!take(*inner))
        return "before its barrier the loop does more than to fill LDS";
      else
        found_.loading.push_back(inner);
    }
    if (found_.barrier == nullptr || found_.working.empty() ||
        std::ranges::none_of(
            found_.working, [](const clang::Stmt* inner) { return !is_workgroup_barrier(*inner); }))
      return "no rounds fill LDS, wait and work on it";
    return problem_of_memory();
  }

  /// A statement that fills the tile, or works out where.
  bool take(const clang::Stmt& statement) {
    if (is_workgroup_barrier(statement)) return true;
    if (const auto* block = llvm::dyn_cast<clang::CompoundStmt>(&statement))
      return std::ranges::all_of(block->body(),
                                 [&](const clang::Stmt* inner) { return take(*inner); });
    if (const auto* branch = llvm::dyn_cast<clang::IfStmt>(&statement))
      return branch->getInit() == nullptr && !branch->hasVarStorage() && !branch->isConstexpr() &&
             may_be_early(*branch->getCond()) && take(*branch->getThen()) &&
             (branch->getElse() == nullptr || take(*branch->getElse()));
    if (const auto* declaration = llvm::dyn_cast<clang::DeclStmt>(&statement)) {
      if (declares_lds(*declaration)) {
        found_.lds.push_back(declaration);
        return true;
      }
      for (const clang::Decl* declared : declaration->decls()) {
        const auto* variable = llvm::dyn_cast<clang::VarDecl>(declared);
        if (variable == nullptr || !variable->hasLocalStorage() || !variable->hasInit() ||
            variable->getType()->isReferenceType() || !may_be_early(*variable->getInit()))
          return false;
        own_.insert(variable);
      }
      found_.declarations.push_back(declaration);
      return true;
    }
    const auto store = as_store(statement);
    if (!store || !is_pure(*store->target, kernel_.unit.context()) || !may_be_early(*store->value))
      return false;
    found_.stores.push_back(*store);
    return true;
  }

  /// Whether the expression comes to the same a round's work earlier: nothing that rounds change
  /// but the head's variables. Notes which memory it reads.
  bool may_be_early(const clang::Expr& expression) const {
    if (!only_computes(expression)) return false;
    for (const clang::Expr* read : memory_reads(expression)) {
      const clang::Expr* pointer = accessed_pointer(*read);
      const auto* parameter =
          pointer == nullptr ? nullptr : pointed_parameter(kernel_, *pointer, *pointer);
      const clang::VarDecl* root = root_variable(*read);
      if (parameter != nullptr)
        read_.insert(parameter);
      else if (root == nullptr || root->hasAttr<clang::CUDASharedAttr>() || !is_fixed(*root))
        return false;
    }
    return std::ranges::all_of(variables_in(expression), [&](const clang::VarDecl* variable) {
      return std::ranges::find(found_.heads, variable) != found_.heads.end() ||
             own_.contains(variable) || is_fixed(*variable);
    });
  }

  bool is_fixed(const clang::VarDecl& variable) const {
    if (variable.getType()->isReferenceType() || variable.hasAttr<clang::CUDASharedAttr>())
      return false;
    const bool local = variable.isLocalVarDeclOrParm() && variable.hasLocalStorage();
    return local ? !may_change(body_, variable)
                 : variable.getType().isConstQualified() ||
                       variable.hasAttr<clang::CUDAConstantAttr>();
  }

  std::optional<std::string> problem_of_memory() {
    if (read_.empty()) return "what fills LDS does not come out of memory";
    for (const clang::VarDecl* variable : own_)
      for (const clang::Stmt* inner : found_.loading)
        if (may_change(*inner, *variable)) return "variables of the tile's part are changed";
    std::set<const clang::ParmVarDecl*> stored;
    for (const clang::Stmt* inner : found_.working) {
      if (is_workgroup_barrier(*inner)) continue;
      const auto more = stored_parameters(kernel_, *inner);
      if (!more) return "what the loop stores to is not plain";
      stored.insert(more->begin(), more->end());
    }
    for (const clang::ParmVarDecl* target : stored)
      for (const clang::ParmVarDecl* source : read_) {
        if (source == target) return "the loop stores to what it reads";
        require_apart(*source, *target, draft_);
      }
    return std::nullopt;
  }

  const KernelView& kernel_;
  Draft& draft_;
  const clang::Stmt& body_;
  TileLoop found_;
  std::set<const clang::VarDecl*> own_;
  mutable std::set<const clang::ParmVarDecl*> read_;
};

}  // namespace

std::optional<TileLoop> as_tile_loop(const KernelView& kernel, const clang::Stmt& statement,
                                     Draft& draft, std::string& why) {
  const auto* loop = llvm::dyn_cast<clang::ForStmt>(&statement);
  if (loop == nullptr) return std::nullopt;
  return Reader(kernel, *loop, draft).read(why);
}

}  // namespace geak::clang_tool::transforms
