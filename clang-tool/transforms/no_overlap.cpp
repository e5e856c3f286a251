#include "clang-tool/transforms/no_overlap.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>

#include "clang-tool/transforms/ast_queries.h"
#include "clang-tool/transforms/memory_effects.h"

namespace geak::clang_tool::transforms {
namespace {

/// `variable += offset`, or null.
const clang::Expr* as_advance(const clang::Stmt& statement, const clang::VarDecl& variable) {
  const auto* expression = llvm::dyn_cast<clang::Expr>(&statement);
  if (expression == nullptr) return nullptr;
  const auto* compound = llvm::dyn_cast<clang::CompoundAssignOperator>(&stripped(*expression));
  if (compound == nullptr || compound->getOpcode() != clang::BO_AddAssign ||
      as_variable(*compound->getLHS()) != &variable)
    return nullptr;
  for (const clang::VarDecl* other : variables_in(*compound->getRHS()))
    if (other == &variable) return nullptr;
  return compound->getRHS();
}

bool same_element(clang::QualType a, clang::QualType b) {
  return a->isPointerType() && b->isPointerType() &&
         a->getPointeeType().getCanonicalType().getUnqualifiedType() ==
             b->getPointeeType().getCanonicalType().getUnqualifiedType();
}

std::optional<PointerOrigin> with_offset(std::optional<PointerOrigin> origin,
                                         const clang::Expr& offset) {
  if (origin) origin->offsets.push_back(&offset);
  return origin;
}

}  // namespace

std::optional<std::vector<const clang::Expr*>> offsets_added(const KernelView& kernel,
                                                             const clang::ParmVarDecl& parameter,
                                                             const clang::Stmt& place) {
  std::vector<const clang::Expr*> found;
  const auto at = kernel.source.range(place);
  for (const clang::Stmt* statement : kernel.body().body()) {
    if (!may_change(*statement, parameter)) continue;
    const clang::Expr* offset = as_advance(*statement, parameter);
    const auto range = kernel.source.range(*statement);
    if (offset == nullptr || !range || !at) return std::nullopt;
    if (range->begin < at->begin) found.push_back(offset);
  }
  return found;
}

std::optional<PointerOrigin> pointer_origin(const KernelView& kernel, const clang::Expr& pointer,
                                            const clang::Stmt& place) {
  const clang::Expr& plain = *pointer.IgnoreParens();
  if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(&plain)) {
    const clang::Expr& inner = *cast->getSubExpr();
    if (!same_element(inner.getType(), plain.getType())) return std::nullopt;
    return pointer_origin(kernel, inner, place);
  }
  if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(&plain)) {
    if (binary->getOpcode() != clang::BO_Add) return std::nullopt;
    const bool left = binary->getLHS()->getType()->isPointerType();
    const clang::Expr& base = left ? *binary->getLHS() : *binary->getRHS();
    const clang::Expr& offset = left ? *binary->getRHS() : *binary->getLHS();
    return with_offset(pointer_origin(kernel, base, place), offset);
  }
  if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(&plain)) {
    if (unary->getOpcode() != clang::UO_AddrOf) return std::nullopt;
    const auto* element =
        llvm::dyn_cast<clang::ArraySubscriptExpr>(unary->getSubExpr()->IgnoreParens());
    if (element == nullptr) return std::nullopt;
    return with_offset(pointer_origin(kernel, *element->getBase(), place), *element->getIdx());
  }
  const clang::VarDecl* variable = as_variable(plain);
  if (variable == nullptr || !variable->getType()->isPointerType()) return std::nullopt;
  if (const auto* parameter = llvm::dyn_cast<clang::ParmVarDecl>(variable)) {
    auto offsets = offsets_added(kernel, *parameter, place);
    if (!offsets) return std::nullopt;
    return PointerOrigin{parameter, std::move(*offsets)};
  }
  if (!variable->isLocalVarDecl() || !variable->hasInit() || may_change(kernel.body(), *variable))
    return std::nullopt;
  // What is added to the parameter between the variable's declaration and the place is not in it.
  return pointer_origin(kernel, *variable->getInit(), *variable->getInit());
}

const clang::ParmVarDecl* pointed_parameter(const KernelView& kernel, const clang::Expr& pointer,
                                            const clang::Stmt& place) {
  const clang::Expr* at = pointer.IgnoreParens();
  while (true) {
    if (const auto origin = pointer_origin(kernel, *at, place)) return origin->parameter;
    const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(at);
    const clang::VarDecl* variable = llvm::isa<clang::DeclRefExpr>(at) ? as_variable(*at) : nullptr;
    if (variable != nullptr && variable->isLocalVarDecl() && variable->hasInit() &&
        variable->getType()->isPointerType() && !may_change(kernel.body(), *variable))
      return pointed_parameter(kernel, *variable->getInit(), *variable->getInit());
    if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(at)) {
      if (!cast->getType()->isPointerType() || !cast->getSubExpr()->getType()->isPointerType())
        return nullptr;
      at = cast->getSubExpr()->IgnoreParens();
    } else if (binary != nullptr && binary->isAdditiveOp()) {
      const bool left = binary->getLHS()->getType()->isPointerType();
      at = (left ? binary->getLHS() : binary->getRHS())->IgnoreParens();
    } else {
      return nullptr;
    }
  }
}

const clang::Expr* accessed_pointer(const clang::Expr& lvalue) {
  const clang::Expr* at = &lvalue;
  while (true) {
    at = at->IgnoreParens();
    if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(at)) {
      if (member->isArrow()) return member->getBase();
      at = member->getBase();
    } else if (const auto* element = llvm::dyn_cast<clang::ArraySubscriptExpr>(at)) {
      const clang::Expr* base = element->getBase()->IgnoreParens();
      const auto* decay = llvm::dyn_cast<clang::ImplicitCastExpr>(base);
      if (decay == nullptr || decay->getCastKind() != clang::CK_ArrayToPointerDecay)
        return element->getBase();
      at = decay->getSubExpr();
    } else if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(at)) {
      return unary->getOpcode() == clang::UO_Deref ? unary->getSubExpr() : nullptr;
    } else if (const auto* cast = llvm::dyn_cast<clang::ImplicitCastExpr>(at)) {
      if (cast->getCastKind() == clang::CK_LValueToRValue) return nullptr;
      at = cast->getSubExpr();
    } else {
      return nullptr;
    }
  }
}

std::optional<std::set<const clang::ParmVarDecl*>> stored_parameters(const KernelView& kernel,
                                                                     const clang::Stmt& root) {
  std::set<const clang::ParmVarDecl*> found;
  bool known = true;
  const auto add = [&](const clang::Expr& target) {
    if (root_variable(target) != nullptr) return;
    const clang::Expr* pointer = accessed_pointer(target);
    const auto* parameter =
        pointer == nullptr ? nullptr : pointed_parameter(kernel, *pointer, *pointer);
    if (parameter != nullptr)
      found.insert(parameter);
    else
      known = false;
  };
  walk(root, [&](const clang::Stmt& node, const Ancestors&) {
    if (const auto* whole = llvm::dyn_cast<clang::Expr>(&node); whole && as_launch_index(*whole))
      return false;
    if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(&node)) {
      if (binary->isAssignmentOp()) add(*binary->getLHS());
    } else if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(&node)) {
      if (unary->isIncrementDecrementOp()) add(*unary->getSubExpr());
    } else if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&node);
               call != nullptr && plain_assignment_target(*call) != nullptr) {
      add(*plain_assignment_target(*call));
    } else if (llvm::isa<clang::CallExpr, clang::AtomicExpr, clang::AsmStmt, clang::LambdaExpr>(
                   &node)) {
      known = known && !may_store_to_global_memory(node);
    }
    return known;
  });
  if (!known) return std::nullopt;
  return found;
}

std::string different_allocations(const std::string& a, const std::string& b) {
  return "geak_swap::apart(" + a + ", " + b + ")";
}

void require_apart(const clang::ParmVarDecl& a, const clang::ParmVarDecl& b, Draft& draft) {
  if (a.getType().isRestrictQualified() || b.getType().isRestrictQualified()) return;
  const auto [first, second] =
      std::minmax(&a, &b, [](const clang::ParmVarDecl* x, const clang::ParmVarDecl* y) {
        return x->getFunctionScopeIndex() < y->getFunctionScopeIndex();
      });
  draft.require({support::Condition::Kind::arguments_distinct, first->getFunctionScopeIndex(),
                 second->getFunctionScopeIndex()});
  draft.require(different_allocations(first->getNameAsString(), second->getNameAsString()));
}

}  // namespace geak::clang_tool::transforms
