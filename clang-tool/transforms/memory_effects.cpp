#include "clang-tool/transforms/memory_effects.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/ExprCXX.h>

#include <set>

#include "clang-tool/system_header.h"
#include "clang-tool/transforms/ast_queries.h"
#include "clang-tool/transforms/no_overlap.h"

namespace geak::clang_tool::transforms {
namespace {

/// Parameters of a called function that point to locals or LDS of its caller.
using OwnPointers = std::set<const clang::VarDecl*>;

bool points_to_own_memory(const clang::Expr& pointer, const OwnPointers& own);

bool is_own_memory(const clang::Expr& lvalue, const OwnPointers& own) {
  const clang::VarDecl* variable = root_variable(lvalue);
  if (variable != nullptr)
    return variable->isLocalVarDeclOrParm() || variable->hasAttr<clang::CUDASharedAttr>();
  const clang::Expr* pointer = accessed_pointer(lvalue);
  if (pointer != nullptr) return points_to_own_memory(*pointer, own);
  const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(lvalue.IgnoreParenImpCasts());
  return reference != nullptr && own.contains(llvm::dyn_cast<clang::VarDecl>(reference->getDecl()));
}

/// `&bins[i]` and the like.
bool points_to_own_memory(const clang::Expr& pointer, const OwnPointers& own) {
  const clang::Expr* plain = pointer.IgnoreParenCasts();
  if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(plain))
    return unary->getOpcode() == clang::UO_AddrOf && is_own_memory(*unary->getSubExpr(), own);
  if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(plain))
    return binary->isAdditiveOp() && points_to_own_memory(*binary->getLHS(), own);
  if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(plain))
    if (own.contains(llvm::dyn_cast<clang::VarDecl>(reference->getDecl()))) return true;
  return plain->getType()->isArrayType() && is_own_memory(*plain, own);
}

bool could_write(clang::QualType type) {
  if (type->isReferenceType() || type->isPointerType())
    return !type->getPointeeType().isConstQualified();
  return false;
}

bool call_may_store(const clang::CallExpr& call, unsigned depth, const OwnPointers& own);

bool stores(const clang::Stmt& root, unsigned depth, const OwnPointers& own) {
  bool found = false;
  walk(root, [&](const clang::Stmt& node, const Ancestors&) {
    if (const auto* whole = llvm::dyn_cast<clang::Expr>(&node); whole && as_launch_index(*whole))
      return false;
    if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(&node)) {
      if (binary->isAssignmentOp() && !is_own_memory(*binary->getLHS(), own)) found = true;
    } else if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(&node)) {
      if (unary->isIncrementDecrementOp() && !is_own_memory(*unary->getSubExpr(), own))
        found = true;
    } else if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&node)) {
      if (call_may_store(*call, depth, own)) found = true;
    } else if (llvm::isa<clang::AtomicExpr, clang::AsmStmt, clang::LambdaExpr>(&node)) {
      found = true;
    }
    return !found;
  });
  return found;
}

bool call_may_store(const clang::CallExpr& call, unsigned depth, const OwnPointers& own) {
  if (const clang::Expr* target = plain_assignment_target(call))
    return !is_own_memory(*target, own);
  const clang::FunctionDecl* callee = call.getDirectCallee();
  if (callee == nullptr || depth > 8) return true;
  const clang::FunctionDecl* definition = callee->getDefinition();
  const bool has_body = definition != nullptr && definition->hasBody();
  const unsigned offset =
      llvm::isa<clang::CXXOperatorCallExpr>(&call) && llvm::isa<clang::CXXMethodDecl>(callee) ? 1
                                                                                              : 0;
  OwnPointers given;
  for (unsigned i = 0; i < callee->getNumParams() && i + offset < call.getNumArgs(); ++i) {
    const clang::Expr& argument = *call.getArg(i + offset);
    const clang::QualType type = callee->getParamDecl(i)->getType();
    if (!could_write(type)) continue;
    if (type->isReferenceType() ? !is_own_memory(argument, own)
                                : !points_to_own_memory(argument, own))
      return true;
    // A pointer that the function moves may leave for other memory.
    if (!has_body) continue;
    const clang::ParmVarDecl* parameter = definition->getParamDecl(i);
    if (type->isReferenceType() || !may_change(*definition->getBody(), *parameter))
      given.insert(parameter);
  }
  if (const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(callee))
    if (!method->isStatic() && !method->isConst())
      return offset == 0 || !is_in_system_header(*method) || !is_own_memory(*call.getArg(0), own);
  if (!has_body) return callee->getBuiltinID() == 0;
  // Functions of HIP's headers store through their parameters alone, barriers and printf apart.
  if (is_in_system_header(*definition)) return callee->getReturnType()->isVoidType();
  return stores(*definition->getBody(), depth + 1, given);
}

}  // namespace

const clang::VarDecl* root_variable(const clang::Expr& lvalue) {
  const clang::Expr* at = &lvalue;
  while (true) {
    at = at->IgnoreParens();
    if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(at)) {
      if (member->isArrow()) return nullptr;
      at = member->getBase();
    } else if (const auto* element = llvm::dyn_cast<clang::ArraySubscriptExpr>(at)) {
      at = element->getBase();
    } else if (const auto* cast = llvm::dyn_cast<clang::ImplicitCastExpr>(at)) {
      if (cast->getCastKind() == clang::CK_LValueToRValue) return nullptr;
      at = cast->getSubExpr();
    } else if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(at)) {
      const auto* variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
      return variable != nullptr && !variable->getType()->isReferenceType() ? variable : nullptr;
    } else {
      return nullptr;
    }
  }
}

const clang::Expr* plain_assignment_target(const clang::CallExpr& call) {
  const auto* assignment = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&call);
  const auto* method =
      assignment == nullptr
          ? nullptr
          : llvm::dyn_cast_or_null<clang::CXXMethodDecl>(assignment->getDirectCallee());
  const bool plain = method != nullptr && method->isTrivial() &&
                     (method->isCopyAssignmentOperator() || method->isMoveAssignmentOperator());
  return plain ? assignment->getArg(0) : nullptr;
}

bool may_store_to_global_memory(const clang::Stmt& root) { return stores(root, 0, {}); }

}  // namespace geak::clang_tool::transforms
