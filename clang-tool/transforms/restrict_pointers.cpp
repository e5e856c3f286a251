// Tells the compiler that pointer parameters do not overlap: loads can move, be shared, and become
// scalar. Sound because the launch checks that the pointers lie in different allocations.
#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/Expr.h>

#include "clang-tool/transforms/ast_queries.h"
#include "clang-tool/transforms/builtin_transforms.h"
#include "clang-tool/transforms/no_overlap.h"
#include "clang-tool/transforms/ways_to_memory.h"

namespace geak::clang_tool::transforms {
namespace {

using nlohmann::json;

/// Whether anything is stored through the parameter; what is not plainly a read counts as a store.
bool may_write_through(const KernelView& kernel, const clang::ParmVarDecl& parameter) {
  return !parameter.getType()->getPointeeType().isConstQualified() ||
         may_change(kernel.body(), parameter);
}

class RestrictPointers final : public Transform {
 public:
  std::string name() const override { return "restrict"; }
  Axis axis() const override { return Axis::memory; }
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
