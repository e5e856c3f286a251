#include "clang-tool/transforms/launch_constants.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>

#include "clang-tool/transforms/global_index.h"

namespace geak::clang_tool::transforms {
namespace {

bool is_size(LaunchIndex index) {
  return index.value == LaunchValue::block_size || index.value == LaunchValue::grid_size;
}

/// Sums and products only, of anything.
bool always_has_a_value(const KernelView& kernel, const clang::Expr& expression) {
  bool plain = true;
  walk(expression, [&](const clang::Stmt& node, const Ancestors&) {
    if (const auto* whole = llvm::dyn_cast<clang::Expr>(&node); whole && as_launch_index(*whole))
      return false;
    if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(&node))
      plain = plain && (binary->isAdditiveOp() || binary->getOpcode() == clang::BO_Mul);
    else if (const clang::VarDecl* variable = as_variable(llvm::cast<clang::Expr>(node)))
      plain = plain && (!variable->isLocalVarDecl() || !variable->hasInit() ||
                        always_has_a_value(kernel, *variable->getInit()));
    return plain && !as_variable(llvm::cast<clang::Expr>(node));
  });
  return plain;
}

std::optional<std::int64_t> as_type(std::int64_t value, clang::QualType type,
                                    const clang::ASTContext& context) {
  switch (context.getTypeSize(type)) {
    case 64:
      return value;
    case 32:
      return type->isSignedIntegerType() ? static_cast<std::int64_t>(static_cast<int>(value))
                                         : static_cast<std::int64_t>(static_cast<unsigned>(value));
    default:
      return std::nullopt;
  }
}

/// What the expression was in one launch; what it is made of is known to be plain.
class SeenValue {
 public:
  SeenValue(const KernelView& kernel, const SeenLaunch& seen) : kernel_(kernel), seen_(seen) {}

  std::optional<std::int64_t> of(const clang::Expr& expression) const {
    const clang::ASTContext& context = kernel_.unit.context();
    if (const auto value = constant_value(expression, context)) return value;
    if (const auto* paren = llvm::dyn_cast<clang::ParenExpr>(&expression))
      return of(*paren->getSubExpr());
    if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(&expression)) {
      const auto value = of(*cast->getSubExpr());
      return value && cast->getType()->isIntegerType() ? as_type(*value, cast->getType(), context)
                                                       : std::nullopt;
    }
    if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(&expression)) return of(*binary);
    const clang::VarDecl* variable = as_variable(expression);
    if (variable == nullptr) return std::nullopt;
    if (const auto* parameter = llvm::dyn_cast<clang::ParmVarDecl>(variable)) {
      const unsigned position = parameter->getFunctionScopeIndex();
      return position < seen_.arguments.size() ? seen_.arguments[position] : std::nullopt;
    }
    return variable->hasInit() ? of(*variable->getInit()) : std::nullopt;
  }

 private:
  std::optional<std::int64_t> of(const clang::BinaryOperator& binary) const {
    const auto left = of(*binary.getLHS());
    const auto right = of(*binary.getRHS());
    if (!left || !right) return std::nullopt;
    std::int64_t value = 0;
    const bool overflows =
        binary.getOpcode() == clang::BO_Mul   ? __builtin_mul_overflow(*left, *right, &value)
        : binary.getOpcode() == clang::BO_Add ? __builtin_add_overflow(*left, *right, &value)
                                              : __builtin_sub_overflow(*left, *right, &value);
    return overflows ? std::nullopt : as_type(value, binary.getType(), kernel_.unit.context());
  }

  const KernelView& kernel_;
  const SeenLaunch& seen_;
};

std::optional<std::string> nothing(const clang::VarDecl&) { return std::nullopt; }

std::string axis_text(unsigned axis) { return std::string(1, static_cast<char>('x' + axis)); }

}  // namespace

std::optional<LaunchConstant> launch_constant(const KernelView& kernel,
                                              const clang::Expr& expression) {
  const auto in_kernel = [](LaunchIndex index) -> std::optional<std::string> {
    if (!is_size(index)) return std::nullopt;
    const char* name = index.value == LaunchValue::block_size ? "blockDim." : "gridDim.";
    return name + axis_text(index.axis);
  };
  const auto text = expanded(kernel, expression, nothing, in_kernel);
  if (!text || !always_has_a_value(kernel, expression)) return std::nullopt;
  LaunchConstant constant{*text, {}, {}};
  constant.host = expanded(kernel, expression, nothing).value_or("");
  if (constant.host.empty()) return constant;
  for (const SeenLaunch& seen : kernel.seen) {
    const auto value = SeenValue(kernel, seen).of(expression);
    if (!value) {
      constant.seen.clear();
      break;
    }
    constant.seen.push_back(*value);
  }
  return constant;
}

}  // namespace geak::clang_tool::transforms
