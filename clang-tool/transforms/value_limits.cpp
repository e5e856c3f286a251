#include "clang-tool/transforms/value_limits.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>

#include <algorithm>

#include "clang-tool/transforms/element_rounds.h"

namespace geak::clang_tool::transforms {
namespace {

constexpr unsigned deepest = 24;
constexpr std::size_t longest = 2000;  // a guard is text that each launch works out

/// 2^63 - 1 is no double: what a double tells from its neighbours is enough.
std::string largest_signed(std::uint64_t bits) {
  return bits == 64 ? "9007199254740992.0"
                    : std::to_string((std::int64_t{1} << (bits - 1)) - 1) + ".0";
}

std::string sum(const std::string& a, const std::string& b) { return "(" + a + " + " + b + ")"; }

}  // namespace

ValueLimits::ValueLimits(const KernelView& kernel, const Draft& draft)
    : kernel_(kernel), launch_is_kept_(draft.launch.keeps_launch()) {
  walk(kernel.body(), [&](const clang::Stmt& node, const Ancestors&) {
    add_loop(node);
    return true;
  });
}

/// Loops that count up to an end that their condition compares all of the variable's bits to.
void ValueLimits::add_loop(const clang::Stmt& node) {
  const clang::ASTContext& context = kernel_.unit.context();
  Loop loop;
  if (const auto counted = as_counted_loop(node, context))
    loop = {counted->variable,
            counted->begin,
            counted->end,
            counted->end_included,
            std::to_string(counted->step) + ".0",
            nullptr};
  else if (const auto strided = as_strided_loop(node, context))
    loop = {strided->variable, strided->begin, strided->end, false, {}, strided->step};
  else
    return;
  const auto& statement = llvm::cast<clang::ForStmt>(node);
  const auto* condition = llvm::dyn_cast<clang::BinaryOperator>(&stripped(*statement.getCond()));
  const auto bits = context.getTypeSize(loop.variable->getType());
  if (condition != nullptr && context.getTypeSize(condition->getLHS()->getType()) >= bits &&
      bits >= 32)
    loops_.push_back(loop);
}

std::optional<std::string> ValueLimits::most(const clang::Expr& expression) {
  const Limits before = limits_;
  auto found = follow(expression, 0);
  if (found && found->size() > longest) found.reset();
  if (!found) limits_ = before;
  return found;
}

bool ValueLimits::is_boundless(const std::string& most) {
  return most.find("4294967295.0") != std::string::npos;
}

bool ValueLimits::at_most(const clang::Expr& expression, std::uint32_t value) {
  if (type_holds_at_most(expression, value, 0)) return true;
  const std::string limit = std::to_string(value) + ".0";
  const auto found = most(expression);
  if (found) limits_.insert(*found + " <= " + limit);
  return found.has_value();
}

/// Whether it is no wider than an unsigned type all of whose values are small enough, however it
/// was converted since.
bool ValueLimits::type_holds_at_most(const clang::Expr& expression, std::uint32_t value,
                                     unsigned depth) const {
  const clang::QualType type = expression.getType();
  const auto bits = kernel_.unit.context().getTypeSize(type);
  if (depth > deepest || !type->isIntegerType()) return false;
  if (type->isUnsignedIntegerType() && bits <= 32 && ((std::uint64_t{1} << bits) - 1) <= value)
    return true;
  if (const auto* paren = llvm::dyn_cast<clang::ParenExpr>(&expression))
    return type_holds_at_most(*paren->getSubExpr(), value, depth + 1);
  if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(&expression)) {
    // What is not negative stays so in a wider type alone.
    const clang::QualType inner = cast->getSubExpr()->getType();
    const bool keeps =
        cast->getCastKind() == clang::CK_LValueToRValue ||
        (cast->getCastKind() == clang::CK_IntegralCast && inner->isIntegerType() &&
         (type->isUnsignedIntegerType() || bits > kernel_.unit.context().getTypeSize(inner)));
    return keeps && type_holds_at_most(*cast->getSubExpr(), value, depth + 1);
  }
  const auto* variable =
      llvm::isa<clang::DeclRefExpr>(&expression) ? as_variable(expression) : nullptr;
  return variable != nullptr && variable->isLocalVarDecl() && variable->hasInit() &&
         variable->hasLocalStorage() && !may_change(kernel_.body(), *variable) &&
         type_holds_at_most(*variable->getInit(), value, depth + 1);
}

void ValueLimits::require(Draft& draft) const {
  for (const std::string& limit : limits_) draft.require(limit);
}

std::optional<std::string> ValueLimits::of_type(clang::QualType type) const {
  if (!type->isUnsignedIntegerType() || type->isEnumeralType()) return std::nullopt;
  const auto bits = type->isBooleanType() ? 1 : kernel_.unit.context().getTypeSize(type);
  if (bits > 32) return std::nullopt;
  return std::to_string((std::uint64_t{1} << bits) - 1) + ".0";
}

std::optional<std::string> ValueLimits::of_launch(LaunchIndex index) const {
  // The host's condition speaks of the original's launch.
  if (!launch_is_kept_) return std::nullopt;
  const std::string axis(1, static_cast<char>('x' + index.axis));
  switch (index.value) {
    case LaunchValue::thread:
      return "((double)geak_block." + axis + " - 1.0)";
    case LaunchValue::block:
      return "((double)geak_grid." + axis + " - 1.0)";
    case LaunchValue::block_size:
      return "(double)geak_block." + axis;
    case LaunchValue::grid_size:
      return "(double)geak_grid." + axis;
  }
  return std::nullopt;
}

std::optional<std::string> ValueLimits::follow(const clang::Expr& expression, unsigned depth) {
  const clang::ASTContext& context = kernel_.unit.context();
  if (depth > deepest || !expression.getType()->isIntegerType()) return std::nullopt;
  if (const auto value = constant_value(expression, context))
    return *value < 0 ? std::nullopt : std::optional(std::to_string(*value) + ".0");
  if (const auto* paren = llvm::dyn_cast<clang::ParenExpr>(&expression))
    return follow(*paren->getSubExpr(), depth + 1);
  if (const auto* full = llvm::dyn_cast<clang::FullExpr>(&expression))
    return follow(*full->getSubExpr(), depth + 1);
  const Limits before = limits_;
  std::optional<std::string> found;
  if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(&expression);
      cast != nullptr &&
      (cast->getCastKind() == clang::CK_IntegralCast ||
       cast->getCastKind() == clang::CK_LValueToRValue || cast->getCastKind() == clang::CK_NoOp)) {
    found = of_cast(expression, *cast->getSubExpr(), depth);
  } else if (const auto index = as_launch_index(expression)) {
    found = of_launch(*index);
  } else if (llvm::isa<clang::BinaryOperator>(&expression)) {
    found = of_binary(expression, depth);
  } else if (const auto product = as_product(expression)) {
    // HIP's classes of sizes are no integers.
    const auto factor = [&](const clang::Expr& side) {
      const auto size = as_launch_index(side);
      return size ? of_launch(*size) : follow(side, depth + 1);
    };
    const auto left = factor(*product->first), right = factor(*product->second);
    if (left && right) found = "(" + *left + " * " + *right + ")";
  } else if (const auto* choice = llvm::dyn_cast<clang::ConditionalOperator>(&expression)) {
    const auto first = follow(*choice->getTrueExpr(), depth + 1);
    const auto second = follow(*choice->getFalseExpr(), depth + 1);
    if (first && second) found = *first == *second ? *first : sum(*first, *second);
  } else if (llvm::isa<clang::DeclRefExpr>(&expression)) {
    if (const clang::VarDecl* variable = as_variable(expression))
      found = of_variable(*variable, depth);
  }
  // What wraps has its type's values, whatever it was worked out of.
  const auto any = of_type(expression.getType());
  if (found && !(any && is_boundless(*found))) return found;
  limits_ = before;
  return any;
}

std::optional<std::string> ValueLimits::of_cast(const clang::Expr& cast, const clang::Expr& inner,
                                                unsigned depth) {
  const clang::ASTContext& context = kernel_.unit.context();
  const auto found = follow(inner, depth + 1);
  const auto bits = context.getTypeSize(cast.getType());
  if (!found || !cast.getType()->isSignedIntegerType()) return found;
  const auto inner_bits = context.getTypeSize(inner.getType());
  const bool keeps =
      bits > inner_bits || (bits == inner_bits && inner.getType()->isSignedIntegerType());
  if (!keeps && is_boundless(*found)) return std::nullopt;
  if (!keeps) limits_.insert(*found + " <= " + largest_signed(bits));
  return found;
}

std::optional<std::string> ValueLimits::of_binary(const clang::Expr& expression, unsigned depth) {
  const auto& binary = llvm::cast<clang::BinaryOperator>(expression);
  const auto left = follow(*binary.getLHS(), depth + 1);
  const auto right = follow(*binary.getRHS(), depth + 1);
  switch (binary.getOpcode()) {
    case clang::BO_Add:
    case clang::BO_Or:
    case clang::BO_Xor:
      return left && right ? std::optional(sum(*left, *right)) : std::nullopt;
    case clang::BO_Mul:
      return left && right ? std::optional("(" + *left + " * " + *right + ")") : std::nullopt;
    case clang::BO_Div:
      return right || binary.getType()->isUnsignedIntegerType() ? left : std::nullopt;
    case clang::BO_Rem:
      return left && right ? right : std::nullopt;
    case clang::BO_Shr:
      return left ? std::optional(shifted(*left, *binary.getRHS())) : std::nullopt;
    case clang::BO_And:
      // At most the lesser: a hash may be anything, its mask is not.
      return left && !(right && is_boundless(*left)) ? left : right;
    case clang::BO_Sub:
      return less_by(*binary.getLHS(), *binary.getRHS());
    default:
      return std::nullopt;
  }
}

std::string ValueLimits::shifted(const std::string& left, const clang::Expr& by) const {
  const auto bits = constant_value(by, kernel_.unit.context());
  if (!bits || *bits < 0 || *bits > 63 ||
      left.find_first_not_of("0123456789.") != std::string::npos)
    return left;
  return std::to_string(std::stoull(left) >> *bits) + ".0";
}

/// `size - 1`, of a parameter that is known to be no less: nothing wraps.
std::optional<std::string> ValueLimits::less_by(const clang::Expr& whole, const clang::Expr& part) {
  const clang::ASTContext& context = kernel_.unit.context();
  const auto constant = constant_value(part, context);
  const clang::Expr* at = whole.IgnoreParens();
  while (const auto* cast = llvm::dyn_cast<clang::CastExpr>(at)) {
    const clang::QualType from = cast->getSubExpr()->getType(), to = cast->getType();
    const auto old_bits = context.getTypeSize(from), bits = context.getTypeSize(to);
    // What is not negative stays what it is, but for large ones in a signed type as narrow.
    const bool holds =
        bits > old_bits ||
        (bits == old_bits && (to->isUnsignedIntegerType() || from->isSignedIntegerType()));
    if (cast->getCastKind() != clang::CK_NoOp && cast->getCastKind() != clang::CK_LValueToRValue &&
        (cast->getCastKind() != clang::CK_IntegralCast || !holds))
      return std::nullopt;
    at = cast->getSubExpr()->IgnoreParens();
  }
  const auto* parameter = llvm::dyn_cast_or_null<clang::ParmVarDecl>(
      llvm::isa<clang::DeclRefExpr>(at) ? as_variable(*at) : nullptr);
  if (!constant || *constant < 0 || parameter == nullptr ||
      !parameter->getType()->isIntegerType() || may_change(kernel_.body(), *parameter))
    return std::nullopt;
  const std::string name = "(" + parameter->getNameAsString() + ")",
                    number = std::to_string(*constant);
  const unsigned position = parameter->getFunctionScopeIndex();
  const bool less = std::ranges::any_of(kernel_.seen, [&](const SeenLaunch& seen) {
    return position < seen.arguments.size() && seen.arguments[position] &&
           *seen.arguments[position] < *constant;
  });
  if (less) return std::nullopt;
  limits_.insert("(double)" + name + " >= " + number + ".0");
  return "((double)" + name + " - " + number + ".0)";
}

std::optional<std::string> ValueLimits::of_variable(const clang::VarDecl& variable,
                                                    unsigned depth) {
  for (const Loop& loop : loops_)
    if (loop.variable == &variable) return of_loop_variable(loop, depth);
  if (may_change(kernel_.body(), variable)) return std::nullopt;
  if (const auto* parameter = llvm::dyn_cast<clang::ParmVarDecl>(&variable)) {
    const std::string name = variable.getNameAsString();
    if (variable.getType()->isSignedIntegerType()) {
      const unsigned position = parameter->getFunctionScopeIndex();
      const bool negative = std::ranges::any_of(kernel_.seen, [&](const SeenLaunch& seen) {
        return position < seen.arguments.size() && seen.arguments[position].value_or(0) < 0;
      });
      if (negative) return std::nullopt;
      limits_.insert("(" + name + ") >= 0");
    }
    return "(double)(" + name + ")";
  }
  if (!variable.isLocalVarDecl() || !variable.hasLocalStorage() || !variable.hasInit())
    return std::nullopt;
  return follow(*variable.getInit(), depth + 1);
}

/// Within the loop; its variable is known nowhere else. A step of an unsigned type might carry a
/// signed variable beyond its largest value without that being undefined.
std::optional<std::string> ValueLimits::of_loop_variable(const Loop& loop, unsigned depth) {
  const auto step = loop.step == nullptr ? loop.constant_step : follow(*loop.step, depth + 1);
  if (!step || !follow(*loop.begin, depth + 1)) return std::nullopt;
  const auto last = follow(*loop.end, depth + 1);
  if (!last) return std::nullopt;
  const clang::QualType type = loop.variable->getType();
  if (type->isSignedIntegerType())
    limits_.insert(sum(*last, *step) +
                   " <= " + largest_signed(kernel_.unit.context().getTypeSize(type)));
  return loop.end_included ? last : std::optional("(" + *last + " - 1.0)");
}

}  // namespace geak::clang_tool::transforms
