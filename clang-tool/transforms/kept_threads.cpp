#include "clang-tool/transforms/kept_threads.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/ExprCXX.h>

#include "clang-tool/transforms/global_index.h"
#include "clang-tool/transforms/item_copies.h"

namespace geak::clang_tool::transforms {
namespace {

bool has_return(const clang::Stmt& statement) {
  bool found = false;
  walk(statement, [&](const clang::Stmt& node, const Ancestors&) {
    found = found || llvm::isa<clang::ReturnStmt, clang::GotoStmt, clang::LabelStmt>(&node);
    return !found && !llvm::isa<clang::LambdaExpr>(&node);
  });
  return found;
}

}  // namespace

bool KeptThreads::touches_memory(const clang::Stmt& statement) const {
  if (!memory_reads(statement).empty()) return true;
  bool calls = false;
  walk(statement, [&](const clang::Stmt& node, const Ancestors&) {
    const auto* expression = llvm::dyn_cast<clang::Expr>(&node);
    if (expression != nullptr && as_launch_index(*expression)) return false;
    if (llvm::isa<clang::CallExpr, clang::LambdaExpr, clang::AtomicExpr>(&node))
      calls = calls || !is_pure(node, kernel_.unit.context());
    return !calls;
  });
  return calls;
}

bool KeptThreads::add(const clang::Stmt& statement, TextEdits& edits) {
  if (llvm::isa<clang::NullStmt>(&statement)) return true;
  const auto* branch = llvm::dyn_cast<clang::IfStmt>(&statement);
  if (has_return(statement)) {
    const clang::Expr* condition = as_early_return(statement);
    // A return that all take together; some may have stopped before it, whose barriers it skips.
    if (condition != nullptr && UniformValues(kernel_, statement).is_uniform(*condition) &&
        memory_reads(*condition).empty())
      return true;
    return branch != nullptr && add_return(*branch, edits);
  }
  if (!some_may_rest_) return true;
  if (const auto* declaration = llvm::dyn_cast<clang::DeclStmt>(&statement))
    return add_declaration(*declaration, edits);
  const auto* expression = llvm::dyn_cast<clang::Expr>(&statement);
  if (expression != nullptr && !touches_memory(*expression)) return true;
  const auto range = kernel_.source.statement_range(statement);
  if (!range) return false;
  edits.insert(range->begin, "if (" + flag_ + ") {\n");
  edits.insert(range->end, "\n}\n");
  return true;
}

/// `if (condition) { ...; return; }`
bool KeptThreads::add_return(const clang::IfStmt& branch, TextEdits& edits) {
  if (branch.getElse() != nullptr || branch.getInit() != nullptr || branch.hasVarStorage() ||
      branch.isConstexpr())
    return false;
  const auto inner = statements_of(*branch.getThen());
  if (inner.empty()) return false;
  for (std::size_t i = 0; i + 1 < inner.size(); ++i)
    if (has_return(*inner[i])) return false;
  const auto* leave = llvm::dyn_cast<clang::ReturnStmt>(inner.back());
  if (leave == nullptr || leave->getRetValue() != nullptr) return false;
  const auto condition = kernel_.source.range(*branch.getCond());
  const auto at = kernel_.source.statement_range(*leave);
  if (!condition || !at) return false;
  edits.insert(condition->begin, some_may_rest_ ? flag_ + " && (" : "(");
  edits.insert(condition->end, ")");
  edits.replace(*at, flag_ + " = false;");
  some_may_rest_ = true;
  return true;
}

bool KeptThreads::add_declaration(const clang::DeclStmt& statement, TextEdits& edits) const {
  for (const clang::Decl* declared : statement.decls()) {
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(declared);
    if (variable == nullptr) continue;  // types and the like
    if (variable->getType()->isReferenceType()) return false;
    if (!variable->hasInit() || !touches_memory(*variable->getInit())) continue;
    const clang::QualType type = variable->getType();
    if (!type->isArithmeticType() && !type->isPointerType()) return false;
    // `int a(p[0])` and `int a{p[0]}` have no expression of their own to put a choice in.
    if (variable->getInitStyle() != clang::VarDecl::CInit) return false;
    const auto value = kernel_.source.range(*variable->getInit()->IgnoreImplicit());
    if (!value || llvm::isa<clang::InitListExpr>(variable->getInit()->IgnoreImplicit()))
      return false;
    edits.insert(value->begin, flag_ + " ? (");
    edits.insert(value->end, type->isPointerType() ? ") : nullptr" : ") : 0");
  }
  return true;
}

}  // namespace geak::clang_tool::transforms
