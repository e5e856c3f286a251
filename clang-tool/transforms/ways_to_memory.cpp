#include "clang-tool/transforms/ways_to_memory.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/Expr.h>

#include <set>

#include "clang-tool/called_functions.h"
#include "clang-tool/system_header.h"
#include "clang-tool/transforms/ast_queries.h"

namespace geak::clang_tool::transforms {
namespace {

bool holds_pointer(clang::QualType type, std::set<const clang::Type*>& seen) {
  const clang::QualType canonical = type.getCanonicalType();
  if (canonical->isAnyPointerType() || canonical->isReferenceType()) return true;
  if (const auto* array = canonical->getAsArrayTypeUnsafe())
    return holds_pointer(array->getElementType(), seen);
  const auto* record = canonical->getAsCXXRecordDecl();
  if (record == nullptr || !record->hasDefinition() || !seen.insert(canonical.getTypePtr()).second)
    return false;
  for (const clang::CXXBaseSpecifier& base : record->bases())
    if (holds_pointer(base.getType(), seen)) return true;
  for (const clang::FieldDecl* field : record->fields())
    if (holds_pointer(field->getType(), seen)) return true;
  return false;
}

bool holds_pointer(clang::QualType type) {
  std::set<const clang::Type*> seen;
  return holds_pointer(type, seen);
}

}  // namespace

std::optional<std::string> other_way_to_memory(const clang::FunctionDecl& kernel) {
  for (const clang::ParmVarDecl* parameter : kernel.parameters()) {
    const clang::QualType type = parameter->getType();
    if (type->isPointerType() ? holds_pointer(type->getPointeeType()) : holds_pointer(type))
      return parameter->getNameAsString() + " holds pointers to memory that nothing is known of";
  }
  for (const clang::FunctionDecl* function : called_functions(kernel)) {
    if (is_in_system_header(*function)) continue;
    std::optional<std::string> found;
    walk(*function->getBody(), [&](const clang::Stmt& node, const Ancestors&) {
      const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&node);
      if (reference == nullptr) return true;
      const auto* variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
      if (variable != nullptr && variable->hasGlobalStorage() &&
          variable->hasAttr<clang::CUDADeviceAttr>() &&
          !variable->hasAttr<clang::CUDASharedAttr>() &&
          !variable->hasAttr<clang::CUDAConstantAttr>() && !variable->getType().isConstQualified())
        found = "the kernel uses the device variable " + variable->getNameAsString();
      return true;
    });
    if (found) return found;
  }
  return std::nullopt;
}

}  // namespace geak::clang_tool::transforms
