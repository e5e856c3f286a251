#include "clang-tool/transforms/kept_passes.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Stmt.h>

#include <algorithm>

#include "clang-tool/transforms/item_copies.h"
#include "clang-tool/transforms/kept_threads.h"

namespace geak::clang_tool::transforms {
namespace {

template <typename Kind>
bool has(const clang::Stmt& statement) {
  bool found = false;
  walk(statement, [&](const clang::Stmt& node, const Ancestors&) {
    found = found || llvm::isa<Kind>(&node);
    return !found && !llvm::isa<clang::LambdaExpr>(&node);
  });
  return found;
}

bool has_return(const clang::Stmt& statement) { return has<clang::ReturnStmt>(statement); }

/// A barrier in the statement or in a function that it may call.
bool may_wait(const clang::Stmt& statement) {
  bool found = false;
  walk(statement, [&](const clang::Stmt& node, const Ancestors&) {
    const auto* call = llvm::dyn_cast<clang::CallExpr>(&node);
    const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&node);
    const auto* callee =
        reference == nullptr ? nullptr : llvm::dyn_cast<clang::FunctionDecl>(reference->getDecl());
    if (call != nullptr) found = found || is_barrier(*call);
    if (callee == nullptr) return !found;
    const llvm::StringRef name = callee->getIdentifier() ? callee->getName() : llvm::StringRef();
    found = found || name.starts_with("__syncthreads") || name.contains("barrier");
    if (const clang::FunctionDecl* definition = callee->getDefinition();
        !found && definition != nullptr && definition->hasBody())
      found = shared_behaviour(*definition).barrier;
    return !found;
  });
  return found;
}

class Writer {
 public:
  explicit Writer(const KernelView& kernel) : kernel_(kernel), kept_(kernel, "geak_works") {}

  std::optional<std::string> write() {
    const auto body = kernel_.source.range(kernel_.body());
    if (!body || !add_all(kernel_.body(), kernel_.body())) return std::nullopt;
    edits_.insert(body->begin + 1, "\n" + kept_.declaration());
    return edits_.apply(kernel_.source.text(), *body);
  }

 private:
  /// `place`: the statement of the kernel's own block that `block` is part of.
  bool add_all(const clang::Stmt& block, const clang::Stmt& place) {
    const bool outermost = &block == &kernel_.body();
    return std::ranges::all_of(statements_of(block), [&](const clang::Stmt* statement) {
      return is_barrier(*statement) || add(*statement, outermost ? *statement : place, outermost);
    });
  }

  bool add(const clang::Stmt& statement, const clang::Stmt& place, bool outermost) {
    if (!may_wait(statement))
      return (outermost || !has_return(statement)) && kept_.add(statement, edits_);
    if (has_return(statement)) return false;
    const UniformValues values(kernel_, place);
    if (const auto* loop = llvm::dyn_cast<clang::ForStmt>(&statement))
      return is_run_alike(*loop, values) && !may_wait(*loop->getCond()) &&
             add_all(*loop->getBody(), place);
    const auto* branch = llvm::dyn_cast<clang::IfStmt>(&statement);
    return branch != nullptr && branch->getElse() == nullptr && branch->getInit() == nullptr &&
           !branch->hasVarStorage() && memory_reads(*branch->getCond()).empty() &&
           values.is_uniform(*branch->getCond()) && add_all(*branch->getThen(), place);
  }

  /// `for (T v = a; condition; step)` whose rounds all work-items count alike.
  bool is_run_alike(const clang::ForStmt& loop, const UniformValues& values) const {
    const auto* declared = llvm::dyn_cast_or_null<clang::DeclStmt>(loop.getInit());
    if (declared == nullptr || !declared->isSingleDecl() || loop.getCond() == nullptr ||
        loop.getInc() == nullptr || loop.getConditionVariable() != nullptr)
      return false;
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(declared->getSingleDecl());
    if (variable == nullptr || !variable->hasInit() || variable->getType()->isReferenceType() ||
        may_change(*loop.getBody(), *variable) || leaves_loop(*loop.getBody()) ||
        has<clang::ContinueStmt>(*loop.getBody()))
      return false;
    const auto alike = [&](const clang::Expr& part) {
      return memory_reads(part).empty() && values.is_uniform(part, {variable});
    };
    return alike(*variable->getInit()) && alike(*loop.getCond()) &&
           steps(*loop.getInc(), *variable, alike);
  }

  template <typename Alike>
  static bool steps(const clang::Expr& step, const clang::VarDecl& variable, const Alike& alike) {
    const clang::Expr& plain = stripped(step);
    if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(&plain))
      return unary->isIncrementDecrementOp() && as_variable(*unary->getSubExpr()) == &variable;
    const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(&plain);
    return binary != nullptr && binary->isAssignmentOp() &&
           as_variable(*binary->getLHS()) == &variable && alike(*binary->getRHS());
  }

  const KernelView& kernel_;
  KeptThreads kept_;
  TextEdits edits_;
};

}  // namespace

bool returns_early(const KernelView& kernel) { return has_return(kernel.body()); }

std::optional<std::string> body_that_all_stay_in(const KernelView& kernel) {
  return Writer(kernel).write();
}

}  // namespace geak::clang_tool::transforms
