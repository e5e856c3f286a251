#include "clang-tool/transforms/team_leader.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>

#include "clang-tool/transforms/item_copies.h"
#include "clang-tool/transforms/memory_effects.h"
#include "clang-tool/transforms/no_overlap.h"
#include "clang-tool/transforms/uniform_values.h"

namespace geak::clang_tool::transforms {
namespace {

bool jumps(const clang::Stmt& statement) {
  bool found = false;
  walk(statement, [&](const clang::Stmt& node, const Ancestors&) {
    found =
        found ||
        llvm::isa<clang::ReturnStmt, clang::GotoStmt, clang::IndirectGotoStmt, clang::LabelStmt>(
            &node);
    return !found;
  });
  return found;
}

bool is_declared_in(const clang::VarDecl& variable, const clang::Stmt& root) {
  bool found = false;
  walk(root, [&](const clang::Stmt& node, const Ancestors&) {
    if (const auto* declaration = llvm::dyn_cast<clang::DeclStmt>(&node))
      for (const clang::Decl* declared : declaration->decls())
        found = found || declared == &variable;
    return !found;
  });
  return found;
}

/// A value that leads to memory: a pointer, or a record that may hold one.
bool leads_to_memory(clang::QualType type) {
  if (type->isPointerType() || type->isReferenceType()) return true;
  const auto* record = type->getAsCXXRecordDecl();
  if (record == nullptr) return type->isRecordType();
  if (!record->hasDefinition() || record->getNumBases() != 0 || record->isPolymorphic())
    return true;
  return std::ranges::any_of(record->fields(), [](const clang::FieldDecl* field) {
    return leads_to_memory(field->getType());
  });
}

/// A called function may read memory that nothing here looks at; arithmetic does not.
bool calls_that_read(const clang::Stmt& statement) {
  bool reads = false;
  walk(statement, [&](const clang::Stmt& node, const Ancestors&) {
    if (const auto* whole = llvm::dyn_cast<clang::Expr>(&node); whole && as_launch_index(*whole))
      return false;
    if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&node))
      for (const clang::Expr* argument : call->arguments())
        reads = reads || leads_to_memory(argument->getType());
    return !reads;
  });
  return reads;
}

/// What one work-item alone does must not change what all of them know.
bool changes_locals_of_others(const clang::Stmt& statement) {
  return std::ranges::any_of(variables_in(statement), [&](const clang::VarDecl* variable) {
    return variable->isLocalVarDeclOrParm() && !is_declared_in(*variable, statement) &&
           may_change(statement, *variable);
  });
}

}  // namespace

TeamLeader::TeamLeader(const KernelView& kernel, Draft& draft, std::string is_first)
    : kernel_(kernel),
      draft_(draft),
      is_first_(std::move(is_first)),
      stored_(stored_parameters(kernel, kernel.body())) {}

bool TeamLeader::all_do(const clang::Stmt& statement) {
  return !jumps(statement) && !may_store_to_global_memory(statement) && reads_the_same(statement);
}

bool TeamLeader::reads_the_same(const clang::Stmt& statement) {
  for (const clang::Expr* read : memory_reads(statement)) {
    if (root_variable(*read) != nullptr) continue;
    const clang::Expr* pointer = accessed_pointer(*read);
    const auto origin =
        pointer == nullptr ? std::nullopt : pointer_origin(kernel_, *pointer, statement);
    if (!stored_ || !origin || stored_->contains(origin->parameter)) return false;
    for (const clang::ParmVarDecl* target : *stored_)
      require_apart(*origin->parameter, *target, draft_);
  }
  return !calls_that_read(statement);
}

bool TeamLeader::add(const clang::Stmt& statement, TextEdits& edits) {
  if (!jumps(statement))
    return may_store_to_global_memory(statement) ? add_stores({&statement}, edits)
                                                 : reads_the_same(statement);
  // `if (condition) { ...; return; }`: all leave, the first does what comes before.
  const auto* branch = llvm::dyn_cast<clang::IfStmt>(&statement);
  if (branch == nullptr || branch->getElse() != nullptr || branch->getInit() != nullptr ||
      branch->hasVarStorage() || branch->isConstexpr() ||
      may_store_to_global_memory(*branch->getCond()) || !reads_the_same(*branch->getCond()))
    return false;
  auto inner = statements_of(*branch->getThen());
  if (inner.empty() || !llvm::isa<clang::ReturnStmt>(inner.back())) return false;
  inner.pop_back();
  if (std::ranges::any_of(inner, [](const clang::Stmt* one) { return jumps(*one); })) return false;
  return inner.empty() || add_stores(inner, edits);
}

bool TeamLeader::add_stores(const std::vector<const clang::Stmt*>& statements,
                            TextEdits& edits) const {
  for (const clang::Stmt* statement : statements)
    if (llvm::isa<clang::DeclStmt>(statement) || changes_locals_of_others(*statement)) return false;
  const auto first = kernel_.source.statement_range(*statements.front());
  const auto last = kernel_.source.statement_range(*statements.back());
  if (!first || !last) return false;
  edits.insert(first->begin, "if (" + is_first_ + ") {\n");
  edits.insert(last->end, "\n}\n");
  return true;
}

}  // namespace geak::clang_tool::transforms
