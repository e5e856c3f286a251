// Turns a kernel that is one guarded block, `if (i < n) { ... }`, into one that returns early,
// `if (i >= n) return; ...`. Nothing is gained by it alone: it is the form in which other
// transforms see which work-items have nothing to do, and the block's statements as the kernel's
// own.
#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>
#include <clang/AST/StmtCXX.h>

#include "clang-tool/transforms/ast_queries.h"
#include "clang-tool/transforms/block_names.h"
#include "clang-tool/transforms/builtin_transforms.h"

namespace geak::clang_tool::transforms {
namespace {

using nlohmann::json;

/// The opposite of a comparison of integers or pointers: with floating-point numbers both may fail.
const char* opposite(const clang::BinaryOperator& comparison) {
  if (!comparison.getLHS()->getType()->isIntegralOrEnumerationType() ||
      !comparison.getRHS()->getType()->isIntegralOrEnumerationType())
    return nullptr;
  switch (comparison.getOpcode()) {
    case clang::BO_LT:
      return " >= ";
    case clang::BO_GT:
      return " <= ";
    case clang::BO_LE:
      return " > ";
    case clang::BO_GE:
      return " < ";
    case clang::BO_EQ:
      return " != ";
    case clang::BO_NE:
      return " == ";
    default:
      return nullptr;
  }
}

/// The condition's opposite, with its comparisons turned round; empty where a macro holds it.
std::string negated(const KernelView& kernel, const clang::Expr& condition) {
  const clang::Expr& plain = *condition.IgnoreParenImpCasts();
  const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(&plain);
  const std::string whole = kernel.source.text(plain);
  if (binary == nullptr || whole.empty()) return whole.empty() ? whole : "!(" + whole + ")";
  if (binary->isLogicalOp()) {
    const std::string left = negated(kernel, *binary->getLHS());
    const std::string right = negated(kernel, *binary->getRHS());
    if (left.empty() || right.empty()) return {};
    return "(" + left + (binary->getOpcode() == clang::BO_LAnd ? " || " : " && ") + right + ")";
  }
  const char* turned = opposite(*binary);
  const std::string left = kernel.source.text(*binary->getLHS());
  const std::string right = kernel.source.text(*binary->getRHS());
  if (turned == nullptr || left.empty() || right.empty()) return "!(" + whole + ")";
  return "(" + left + ")" + turned + "(" + right + ")";
}

class EarlyExit final : public Transform {
 public:
  std::string name() const override { return "early_exit"; }
  Axis axis() const override { return Axis::compute; }
  std::string summary() const override {
    return "returns early where the kernel is one guarded block, for other steps to see";
  }

  std::vector<json> parameters(const KernelView&) const override { return {json::object()}; }

  std::optional<Refusal> apply(const KernelView& kernel, const json&, Draft& draft) const override {
    const clang::CompoundStmt& body = kernel.body();
    const auto* branch =
        body.body_empty() ? nullptr : llvm::dyn_cast<clang::IfStmt>(body.body_back());
    if (branch == nullptr || branch->getElse() != nullptr || branch->getInit() != nullptr ||
        branch->hasVarStorage() || branch->isConstexpr())
      return Refusal{"the kernel does not end with a guarded block"};
    if (llvm::isa<clang::ReturnStmt>(branch->getThen()))
      return Refusal{"the kernel returns early already"};
    const auto* block = llvm::dyn_cast<clang::CompoundStmt>(branch->getThen());
    if (block != nullptr && names_meet(kernel, *block))
      return Refusal{"the block declares a name again that the kernel has already"};
    const std::string leave = negated(kernel, *branch->getCond());
    const auto whole = kernel.source.statement_range(*branch);
    const auto inner = kernel.source.statement_range(*branch->getThen());
    if (leave.empty() || !whole || !inner) return Refusal{"the guard comes out of a macro"};
    const TextRange kept = block == nullptr ? *inner : TextRange{inner->begin + 1, inner->end - 1};
    TextEdits edits;
    edits.replace({whole->begin, kept.begin}, "if (" + leave + ") return;\n");
    edits.replace({kept.end, whole->end}, "");
    draft.text = edits.apply(kernel.source.text(), kernel.text);
    return std::nullopt;
  }
};

}  // namespace

const Transform& early_exit() {
  static const EarlyExit transform;
  return transform;
}

}  // namespace geak::clang_tool::transforms
