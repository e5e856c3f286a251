#include "clang-tool/transforms/wave_registers.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/Stmt.h>

#include <algorithm>

#include "clang-tool/transforms/memory_effects.h"

namespace geak::clang_tool::transforms {
namespace {

bool is_store_target(const Ancestors& path, const clang::Stmt& node) {
  if (path.empty()) return false;
  const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(path.back());
  if (binary != nullptr) return binary->isAssignmentOp() && binary->getLHS() == &node;
  const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(path.back());
  return unary != nullptr && unary->isIncrementDecrementOp();
}

bool is_load(const Ancestors& path) {
  const auto* cast = path.empty() ? nullptr : llvm::dyn_cast<clang::ImplicitCastExpr>(path.back());
  return cast != nullptr && cast->getCastKind() == clang::CK_LValueToRValue;
}

}  // namespace

bool can_be_shuffled(clang::QualType type) {
  const auto* builtin = type.getCanonicalType()->getAs<clang::BuiltinType>();
  if (builtin == nullptr || type.isVolatileQualified()) return false;
  switch (builtin->getKind()) {
    case clang::BuiltinType::Int:
    case clang::BuiltinType::UInt:
    case clang::BuiltinType::Long:
    case clang::BuiltinType::ULong:
    case clang::BuiltinType::LongLong:
    case clang::BuiltinType::ULongLong:
    case clang::BuiltinType::Float:
    case clang::BuiltinType::Double:
      return true;
    default:
      return false;
  }
}

std::optional<RegisterRound> in_registers(
    const KernelView& kernel, const clang::IfStmt& branch, const clang::VarDecl& width,
    const std::function<bool(const clang::Expr&)>& is_thread) {
  std::vector<const clang::VarDecl*> arrays;
  TextEdits edits;
  bool fits = true;
  const auto own = [](const clang::VarDecl& array) {
    return "geak_own_" + array.getNameAsString();
  };
  const auto other = [](const clang::VarDecl& array) {
    return "geak_other_" + array.getNameAsString();
  };
  const auto is_further = [&](const clang::Expr& index) {
    const auto* sum = llvm::dyn_cast<clang::BinaryOperator>(&stripped(index));
    if (sum == nullptr || sum->getOpcode() != clang::BO_Add) return false;
    const clang::Expr &left = *sum->getLHS(), &right = *sum->getRHS();
    return (is_thread(left) && as_variable(right) == &width) ||
           (is_thread(right) && as_variable(left) == &width);
  };
  walk(branch, [&](const clang::Stmt& node, const Ancestors& path) {
    if (const auto* whole = llvm::dyn_cast<clang::Expr>(&node); whole && as_launch_index(*whole))
      return false;
    const auto* element = llvm::dyn_cast<clang::ArraySubscriptExpr>(&node);
    const clang::VarDecl* array = element == nullptr ? nullptr : root_variable(*element);
    if (array == nullptr || !array->hasAttr<clang::CUDASharedAttr>()) {
      // Anything else that names an LDS variable is no element of its own.
      const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&node);
      if (reference != nullptr && reference->getDecl()->hasAttr<clang::CUDASharedAttr>())
        fits = false;
      return fits;
    }
    const auto range = kernel.source.range(node);
    const bool is_own = is_thread(*element->getIdx());
    fits = fits && range && can_be_shuffled(element->getType()) &&
           array->getType()->isArrayType() &&
           ((is_own && (is_load(path) || is_store_target(path, node))) ||
            (is_further(*element->getIdx()) && is_load(path)));
    if (!fits) return false;
    edits.replace(*range, is_own ? own(*array) : other(*array));
    if (std::ranges::find(arrays, array) == arrays.end()) arrays.push_back(array);
    return false;
  });
  const auto range = kernel.source.statement_range(branch);
  if (!fits || arrays.empty() || !range) return std::nullopt;
  RegisterRound round;
  round.branch = edits.apply(kernel.source.text(), *range);
  for (const clang::VarDecl* array : arrays) {
    const clang::QualType element =
        kernel.unit.context().getAsArrayType(array->getType())->getElementType();
    const std::string type = element.getCanonicalType().getUnqualifiedType().getAsString(
        kernel.unit.context().getPrintingPolicy());
    const std::string name = array->getNameAsString();
    round.load += type + " " + own(*array) + " = geak_lane < 2u * geak_first ? " + name +
                  "[geak_lane] : 0;\n";
    round.shuffle += "const " + type + " " + other(*array) + " = __shfl_down(" + own(*array) +
                     ", (unsigned)" + width.getNameAsString() + ", 32);\n";
    round.store += "if (geak_lane < geak_first) " + name + "[geak_lane] = " + own(*array) + ";\n";
  }
  return round;
}

}  // namespace geak::clang_tool::transforms
