#include "clang-tool/transforms/conditions.h"

#include <clang/AST/Attr.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>

#include <algorithm>

#include "clang-tool/transforms/ast_queries.h"

namespace geak::clang_tool::transforms {
namespace {

/// `extern __shared__` here, or LDS of any kind in what is called.
bool may_have_dynamic_lds(const KernelView& kernel) {
  bool found = false;
  walk(kernel.body(), [&](const clang::Stmt& node, const Ancestors&) {
    if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&node)) {
      const auto* variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
      found = found || (variable != nullptr && variable->hasAttr<clang::CUDASharedAttr>() &&
                        variable->hasExternalStorage());
    } else if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&node)) {
      const clang::FunctionDecl* callee = call->getDirectCallee();
      const clang::FunctionDecl* called = callee == nullptr ? nullptr : callee->getDefinition();
      found = found || (called != nullptr && shared_behaviour(*called).lds);
    }
    return !found;
  });
  return found;
}

}  // namespace

using Kind = support::Condition::Kind;

void require_block_axis(unsigned axis, std::uint32_t size, Draft& draft) {
  draft.require({Kind::block_equals, axis, size});
}

void require_block(const support::Extent& block, Draft& draft) {
  for (unsigned axis = 0; axis < 3; ++axis) require_block_axis(axis, block[axis], draft);
}

void require_argument(unsigned position, std::int64_t value, Draft& draft) {
  draft.require({Kind::argument_equals, position, value});
}

void require_lds_as_seen(const KernelView& kernel, Draft& draft) {
  std::uint32_t most = 0;
  for (const SeenLaunch& seen : kernel.seen) most = std::max(most, seen.launch.dynamic_lds);
  if (most > 0 || may_have_dynamic_lds(kernel))
    draft.require("geak_lds <= " + std::to_string(most) + "u");
}

}  // namespace geak::clang_tool::transforms
