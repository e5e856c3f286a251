#include "clang-tool/transforms/memory_effects.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Basic/SourceManager.h>

#include "clang-tool/transforms/ast_queries.h"

namespace geak::clang_tool::transforms {
namespace {

bool is_own_memory(const clang::Expr& lvalue) {
  const clang::VarDecl* variable = root_variable(lvalue);
  return variable != nullptr &&
         (variable->isLocalVarDeclOrParm() || variable->hasAttr<clang::CUDASharedAttr>());
}

/// `&bins[i]` and the like.
bool points_to_own_memory(const clang::Expr& pointer) {
  const clang::Expr* plain = pointer.IgnoreParenCasts();
  if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(plain))
    return unary->getOpcode() == clang::UO_AddrOf && is_own_memory(*unary->getSubExpr());
  if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(plain))
    return binary->isAdditiveOp() && points_to_own_memory(*binary->getLHS());
  return plain->getType()->isArrayType() && is_own_memory(*plain);
}

bool could_write(clang::QualType type) {
  if (type->isReferenceType() || type->isPointerType())
    return !type->getPointeeType().isConstQualified();
  return false;
}

bool call_may_store(const clang::CallExpr& call, unsigned depth);

bool stores(const clang::Stmt& root, unsigned depth) {
  bool found = false;
  walk(root, [&](const clang::Stmt& node, const Ancestors&) {
    if (const auto* whole = llvm::dyn_cast<clang::Expr>(&node); whole && as_launch_index(*whole))
      return false;
    if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(&node)) {
      if (binary->isAssignmentOp() && !is_own_memory(*binary->getLHS())) found = true;
    } else if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(&node)) {
      if (unary->isIncrementDecrementOp() && !is_own_memory(*unary->getSubExpr())) found = true;
    } else if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&node)) {
      if (call_may_store(*call, depth)) found = true;
    } else if (llvm::isa<clang::AtomicExpr, clang::AsmStmt, clang::LambdaExpr>(&node)) {
      found = true;
    }
    return !found;
  });
  return found;
}

bool call_may_store(const clang::CallExpr& call, unsigned depth) {
  const clang::FunctionDecl* callee = call.getDirectCallee();
  if (callee == nullptr || depth > 8) return true;
  const unsigned offset =
      llvm::isa<clang::CXXOperatorCallExpr>(&call) && llvm::isa<clang::CXXMethodDecl>(callee) ? 1
                                                                                              : 0;
  for (unsigned i = 0; i < callee->getNumParams() && i + offset < call.getNumArgs(); ++i) {
    const clang::Expr& argument = *call.getArg(i + offset);
    const clang::QualType type = callee->getParamDecl(i)->getType();
    if (!could_write(type)) continue;
    if (type->isReferenceType() ? !is_own_memory(argument) : !points_to_own_memory(argument))
      return true;
  }
  if (const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(callee))
    if (!method->isStatic() && !method->isConst()) return true;
  const clang::FunctionDecl* definition = callee->getDefinition();
  if (definition == nullptr || !definition->hasBody()) return callee->getBuiltinID() == 0;
  const clang::SourceManager& sources = callee->getASTContext().getSourceManager();
  // Functions of HIP's headers store through their parameters alone, barriers and printf apart.
  if (sources.isInSystemHeader(sources.getExpansionLoc(definition->getLocation())))
    return callee->getReturnType()->isVoidType();
  bool through_parameter = false;
  for (const clang::ParmVarDecl* parameter : definition->parameters())
    through_parameter = through_parameter || could_write(parameter->getType());
  return through_parameter || stores(*definition->getBody(), depth + 1);
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

bool may_store_to_global_memory(const clang::Stmt& root) { return stores(root, 0); }

}  // namespace geak::clang_tool::transforms
