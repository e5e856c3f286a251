// Tells the compiler that pointer parameters do not overlap: loads can move, be shared, and become
// scalar. Sound because the launch checks that the pointers lie in different allocations.
#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/Expr.h>

#include <set>

#include "clang-tool/called_functions.h"
#include "clang-tool/transforms/ast_queries.h"
#include "clang-tool/transforms/builtin_transforms.h"
#include "clang-tool/transforms/no_overlap.h"

namespace geak::clang_tool::transforms {
namespace {

using nlohmann::json;

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

/// Memory that the kernel may reach by ways other than its own pointer parameters.
std::optional<std::string> other_way_to_memory(const clang::FunctionDecl& kernel) {
  for (const clang::ParmVarDecl* parameter : kernel.parameters()) {
    const clang::QualType type = parameter->getType();
    if (type->isPointerType() ? holds_pointer(type->getPointeeType()) : holds_pointer(type))
      return parameter->getNameAsString() + " holds pointers to memory that nothing is known of";
  }
  const clang::SourceManager& sources = kernel.getASTContext().getSourceManager();
  for (const clang::FunctionDecl* function : called_functions(kernel)) {
    if (sources.isInSystemHeader(sources.getExpansionLoc(function->getLocation()))) continue;
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

/// Whether anything is stored through the parameter; what is not plainly a read counts as a store.
bool may_write_through(const KernelView& kernel, const clang::ParmVarDecl& parameter) {
  return !parameter.getType()->getPointeeType().isConstQualified() ||
         may_change(kernel.body(), parameter);
}

class RestrictPointers final : public Transform {
 public:
  std::string name() const override { return "restrict"; }
  std::string summary() const override {
    return "tells the compiler that the kernel's arrays do not overlap, which the launch checks";
  }

  std::vector<json> parameters(const KernelView&) const override { return {json::object()}; }

  std::optional<Refusal> apply(const KernelView& kernel, const json&, Draft& draft) const override {
    if (auto way = other_way_to_memory(kernel.function)) return Refusal{*way};
    std::vector<unsigned> pointers;
    TextEdits edits;
    for (unsigned i = 0; i < kernel.written.getNumParams(); ++i) {
      const clang::ParmVarDecl& parameter = *kernel.function.getParamDecl(i);
      if (!parameter.getType()->isPointerType()) continue;
      pointers.push_back(i);
      if (parameter.getType().isRestrictQualified()) continue;
      if (kernel.written.getParamDecl(i)->getOriginalType()->isArrayType())
        return Refusal{parameter.getNameAsString() + " is written as an array"};
      const auto at = kernel.source.offset(kernel.written.getParamDecl(i)->getLocation());
      if (!at) return Refusal{parameter.getNameAsString() + " comes out of a macro"};
      edits.insert(*at, "__restrict__ ");
    }
    if (edits.empty()) return Refusal{"there is no pointer that is not restrict already"};
    for (std::size_t i = 0; i < pointers.size(); ++i)
      for (std::size_t j = i + 1; j < pointers.size(); ++j)
        require_apart(kernel, pointers[i], pointers[j], draft);
    draft.text = edits.apply(kernel.source.text(), kernel.text);
    return std::nullopt;
  }

 private:
  static void require_apart(const KernelView& kernel, unsigned a, unsigned b, Draft& draft) {
    const clang::ParmVarDecl& first = *kernel.function.getParamDecl(a);
    const clang::ParmVarDecl& second = *kernel.function.getParamDecl(b);
    // Two that are only read may overlap as they like.
    if (!may_write_through(kernel, first) && !may_write_through(kernel, second)) return;
    draft.require({support::Condition::Kind::arguments_distinct, a, b});
    draft.require(different_allocations(first.getNameAsString(), second.getNameAsString()));
  }
};

}  // namespace

const Transform& restrict_pointers() {
  static const RestrictPointers transform;
  return transform;
}

}  // namespace geak::clang_tool::transforms
