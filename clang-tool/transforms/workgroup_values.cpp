// How values come about: numbers by arithmetic of their types, elements by being combined.
#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Basic/SourceManager.h>

#include "clang-tool/transforms/workgroup_run.h"

namespace geak::clang_tool::transforms {
namespace {

using Kind = RunValue::Kind;

constexpr std::uint64_t most_steps = 40'000'000;

RunValue integer(std::int64_t value) { return {.kind = Kind::integer, .integer = value}; }

std::optional<Combination> combination_of(clang::BinaryOperatorKind operation, bool floating) {
  switch (operation) {
    case clang::BO_Add:
      return Combination::sum;
    case clang::BO_Mul:
      return Combination::product;
    case clang::BO_And:
      return floating ? std::nullopt : std::optional(Combination::all_bits);
    case clang::BO_Or:
      return floating ? std::nullopt : std::optional(Combination::any_bits);
    case clang::BO_Xor:
      return floating ? std::nullopt : std::optional(Combination::odd_bits);
    default:
      return std::nullopt;
  }
}

/// Whether an element that is taken twice counts once.
bool is_idempotent(Combination combination) {
  return combination != Combination::sum && combination != Combination::product &&
         combination != Combination::odd_bits;
}

bool same_type(clang::QualType a, clang::QualType b) {
  return a.getCanonicalType().getUnqualifiedType() == b.getCanonicalType().getUnqualifiedType();
}

/// The same elements, which all are combined in one way.
bool same_value(const RunValue& a, const RunValue& b) {
  return a.kind == Kind::elements && b.kind == Kind::elements && a.array == b.array &&
         *a.elements == *b.elements;
}

std::int64_t compared(clang::BinaryOperatorKind operation, auto left, auto right) {
  switch (operation) {
    case clang::BO_LT:
      return left < right;
    case clang::BO_GT:
      return left > right;
    case clang::BO_LE:
      return left <= right;
    case clang::BO_GE:
      return left >= right;
    case clang::BO_EQ:
      return left == right;
    default:
      return left != right;
  }
}

}  // namespace

bool is_neutral(const RunValue& value, Combination combination) {
  const bool product = combination == Combination::product;
  if (value.kind == Kind::real)
    return (product || combination == Combination::sum) && value.real == (product ? 1 : 0);
  if (value.kind != Kind::integer) return false;
  switch (combination) {
    case Combination::sum:
    case Combination::any_bits:
    case Combination::odd_bits:
      return value.integer == 0;
    case Combination::product:
      return value.integer == 1;
    default:
      return false;
  }
}

RunValue WorkgroupRun::wrapped(std::int64_t value, clang::QualType type) const {
  if (type->isBooleanType()) return integer(value != 0);
  const unsigned bits = kernel_.unit.context().getIntWidth(type);
  if (bits < 64) {
    const auto low = static_cast<std::uint64_t>(value) << (64 - bits);
    value = type->isSignedIntegerOrEnumerationType()
                ? static_cast<std::int64_t>(low) >> (64 - bits)
                : static_cast<std::int64_t>(low >> (64 - bits));
  }
  return integer(value);
}

RunValue WorkgroupRun::value_of(const clang::Expr& expression) {
  if (!expression.isGLValue()) return evaluate(expression);
  if (const auto* choice = llvm::dyn_cast<clang::ConditionalOperator>(expression.IgnoreParens()))
    return evaluate_choice(*choice);
  const auto place = place_of(expression);
  return place ? load(*place) : RunValue{};
}

RunValue WorkgroupRun::evaluate(const clang::Expr& expression) {
  if (!problem_.empty()) return {};
  if (++steps_ > most_steps) return fail("the rounds take too long to follow");
  if (const auto index = as_launch_index(expression)) {
    if (index->value == LaunchValue::thread) return integer(index->axis == 0 ? at_ : 0);
    if (index->value == LaunchValue::block_size) return integer(index->axis == 0 ? work_items_ : 1);
    return {};
  }
  const clang::Expr* at = expression.IgnoreParens();
  if (const auto* full = llvm::dyn_cast<clang::FullExpr>(at)) return evaluate(*full->getSubExpr());
  if (const auto* temporary = llvm::dyn_cast<clang::MaterializeTemporaryExpr>(at))
    return evaluate(*temporary->getSubExpr());
  if (const auto* substituted = llvm::dyn_cast<clang::SubstNonTypeTemplateParmExpr>(at))
    return evaluate(*substituted->getReplacement());
  if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(at)) return evaluate_cast(*cast);
  if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(at)) return evaluate_unary(*unary);
  if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(at))
    return binary->isLogicalOp() ? evaluate_logical(*binary) : evaluate_binary(*binary);
  if (const auto* choice = llvm::dyn_cast<clang::ConditionalOperator>(at))
    return evaluate_choice(*choice);
  if (const auto* call = llvm::dyn_cast<clang::CallExpr>(at)) return evaluate_call(*call);
  if (const auto* literal = llvm::dyn_cast<clang::FloatingLiteral>(at))
    return {.kind = Kind::real, .real = literal->getValueAsApproximateDouble()};
  if (const auto value = constant_value(*at, kernel_.unit.context())) return integer(*value);
  return fail("the rounds hold more than arithmetic");
}

RunValue WorkgroupRun::evaluate_choice(const clang::ConditionalOperator& choice) {
  const clang::Expr &yes = *choice.getTrueExpr(), &no = *choice.getFalseExpr();
  if (auto one = chosen(choice, *choice.getCond(), yes, no)) return *one;
  const RunValue condition = evaluate(*choice.getCond());
  if (!problem_.empty()) return {};
  if (condition.kind != Kind::integer) return fail("a choice depends on what is in memory");
  return value_of(condition.integer != 0 ? yes : no);
}

std::optional<RunValue> WorkgroupRun::chosen(const clang::Expr& whole, const clang::Expr& condition,
                                             const clang::Expr& taken,
                                             const clang::Expr& left_out) {
  const clang::ASTContext& context = kernel_.unit.context();
  const auto* comparison = llvm::dyn_cast<clang::BinaryOperator>(condition.IgnoreParenImpCasts());
  if (comparison == nullptr || !comparison->isRelationalOp() || numbers_alone_ || in_declaration_ ||
      !is_pure(condition, context) || !is_pure(taken, context) || !is_pure(left_out, context))
    return std::nullopt;
  const RunValue left = evaluate(*comparison->getLHS()), right = evaluate(*comparison->getRHS());
  if (!problem_.empty() || left.kind != Kind::elements || right.kind != Kind::elements)
    return std::nullopt;
  // Where there is no number, or zeros have signs, it matters which of the two comes first.
  const clang::LangOptions& language = context.getLangOpts();
  if (comparison->getLHS()->getType()->isFloatingType() &&
      !(language.NoHonorNaNs && language.NoSignedZero))
    return fail("a choice between floating-point numbers depends on the order of NaNs and zeros");
  const RunValue yes = value_of(taken), no = value_of(left_out);
  const bool straight = same_value(yes, left) && same_value(no, right);
  if (!straight && !(same_value(yes, right) && same_value(no, left)))
    return fail("a choice depends on what is in memory");
  const auto operation = comparison->getOpcode();
  const bool less = operation == clang::BO_LT || operation == clang::BO_LE;
  return combine(whole, less == straight ? Combination::least : Combination::greatest, "", left,
                 right);
}

RunValue WorkgroupRun::evaluate_cast(const clang::CastExpr& cast) {
  const clang::Expr& inner = *cast.getSubExpr();
  switch (cast.getCastKind()) {
    case clang::CK_LValueToRValue:
      // Constants of the unit have no place here.
      if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(inner.IgnoreParens()))
        if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
            variable != nullptr && !variables_.contains(variable))
          if (const auto value = constant_value(cast, kernel_.unit.context()))
            return integer(*value);
      return value_of(inner);
    case clang::CK_NoOp:
      return evaluate(inner);
    case clang::CK_IntegralCast:
    case clang::CK_BooleanToSignedIntegral:
    case clang::CK_IntegralToBoolean: {
      const RunValue value = evaluate(inner);
      if (value.kind == Kind::integer) return wrapped(value.integer, cast.getType());
      return same_type(cast.getType(), inner.getType()) ? value : RunValue{};
    }
    case clang::CK_IntegralToFloating: {
      const RunValue value = evaluate(inner);
      if (value.kind != Kind::integer) return {};
      return {.kind = Kind::real, .real = static_cast<double>(value.integer)};
    }
    case clang::CK_FloatingCast: {
      const RunValue value = evaluate(inner);
      const bool keeps = value.kind == Kind::real || same_type(cast.getType(), inner.getType());
      return keeps ? value : RunValue{};
    }
    default:
      return fail("the rounds hold more than arithmetic");
  }
}

RunValue WorkgroupRun::evaluate_unary(const clang::UnaryOperator& unary) {
  if (unary.isIncrementDecrementOp()) {
    const auto place = place_of(*unary.getSubExpr());
    if (!place) return {};
    const RunValue old = load(*place);
    if (old.kind != Kind::integer) return fail("the rounds count what is no known number");
    const RunValue next =
        wrapped(old.integer + (unary.isIncrementOp() ? 1 : -1), unary.getSubExpr()->getType());
    store(*place, next, unary.getSubExpr()->getType());
    return unary.isPrefix() ? next : old;
  }
  const RunValue value = evaluate(*unary.getSubExpr());
  if (value.kind != Kind::integer) return {};
  switch (unary.getOpcode()) {
    case clang::UO_Plus:
      return value;
    case clang::UO_Minus:
      return wrapped(static_cast<std::int64_t>(-static_cast<std::uint64_t>(value.integer)),
                     unary.getType());
    case clang::UO_Not:
      return wrapped(~value.integer, unary.getType());
    case clang::UO_LNot:
      return integer(value.integer == 0);
    default:
      return fail("the rounds hold more than arithmetic");
  }
}

RunValue WorkgroupRun::evaluate_logical(const clang::BinaryOperator& binary) {
  const RunValue left = evaluate(*binary.getLHS());
  if (left.kind != Kind::integer) return {};
  const bool ends = binary.getOpcode() == clang::BO_LAnd ? left.integer == 0 : left.integer != 0;
  if (ends) return integer(left.integer != 0);
  const RunValue right = evaluate(*binary.getRHS());
  if (right.kind != Kind::integer) return {};
  return integer(right.integer != 0);
}

RunValue WorkgroupRun::evaluate_binary(const clang::BinaryOperator& binary) {
  const clang::Expr &left = *binary.getLHS(), &right = *binary.getRHS();
  if (binary.getOpcode() == clang::BO_Comma) {
    evaluate(left);
    return evaluate(right);
  }
  if (!binary.isAssignmentOp())
    return arithmetic(binary, binary.getOpcode(), evaluate(left), evaluate(right), left.getType());
  RunValue value = evaluate(right);
  const auto place = place_of(left);
  if (!place) return {};
  if (const auto* compound = llvm::dyn_cast<clang::CompoundAssignOperator>(&binary)) {
    RunValue old = load(*place);
    // `stride *= 2u` works in another type than the variable's.
    const clang::QualType type = compound->getComputationLHSType();
    if (old.kind == Kind::integer && type->isIntegerType()) old = wrapped(old.integer, type);
    if (old.kind == Kind::elements && !same_type(type, left.getType()))
      return fail("elements are combined in another type than theirs");
    value =
        arithmetic(binary, clang::BinaryOperator::getOpForCompoundAssignment(binary.getOpcode()),
                   old, value, type);
  }
  store(*place, value, left.getType());
  return value;
}

RunValue WorkgroupRun::arithmetic(const clang::Expr& whole, clang::BinaryOperatorKind operation,
                                  const RunValue& left, const RunValue& right,
                                  clang::QualType type) {
  if (!problem_.empty() || left.kind == Kind::unknown || right.kind == Kind::unknown) return {};
  if (left.kind == Kind::elements || right.kind == Kind::elements) {
    const auto combination = combination_of(operation, type->isFloatingType());
    if (!combination) return fail("elements of LDS are not summed up or the like");
    return combine(whole, *combination, "", left, right);
  }
  if (left.kind != Kind::integer || right.kind != Kind::integer) return {};
  const std::int64_t a = left.integer, b = right.integer;
  const bool is_signed = type->isSignedIntegerOrEnumerationType();
  const auto ua = static_cast<std::uint64_t>(a), ub = static_cast<std::uint64_t>(b);
  if (clang::BinaryOperator::isComparisonOp(operation))
    return integer(is_signed ? compared(operation, a, b) : compared(operation, ua, ub));
  const unsigned bits = kernel_.unit.context().getIntWidth(type);
  switch (operation) {
    case clang::BO_Add:
      return wrapped(static_cast<std::int64_t>(ua + ub), type);
    case clang::BO_Sub:
      return wrapped(static_cast<std::int64_t>(ua - ub), type);
    case clang::BO_Mul:
      return wrapped(static_cast<std::int64_t>(ua * ub), type);
    case clang::BO_And:
      return wrapped(a & b, type);
    case clang::BO_Or:
      return wrapped(a | b, type);
    case clang::BO_Xor:
      return wrapped(a ^ b, type);
    case clang::BO_Div:
    case clang::BO_Rem: {
      if (b == 0 || (is_signed && b == -1)) return fail("a division by nothing or by -1");
      const bool quotient = operation == clang::BO_Div;
      if (!is_signed) return wrapped(static_cast<std::int64_t>(quotient ? ua / ub : ua % ub), type);
      return wrapped(quotient ? a / b : a % b, type);
    }
    case clang::BO_Shl:
    case clang::BO_Shr:
      if (b < 0 || b >= static_cast<std::int64_t>(bits)) return fail("a shift by too much");
      if (operation == clang::BO_Shl) return wrapped(static_cast<std::int64_t>(ua << b), type);
      return wrapped(is_signed ? a >> b : static_cast<std::int64_t>(ua >> b), type);
    default:
      return fail("the rounds hold more than arithmetic");
  }
}

RunValue WorkgroupRun::combine(const clang::Expr& whole, Combination combination,
                               const std::string& function, const RunValue& left,
                               const RunValue& right) {
  const RunValue& elements = left.kind == Kind::elements ? left : right;
  const RunValue& other = left.kind == Kind::elements ? right : left;
  if (other.kind == Kind::unknown) return {};
  RunArray& array = arrays_.at(elements.array);
  if (!same_type(whole.getType().getNonReferenceType(), array.type))
    return fail("elements are combined in another type than theirs");
  if (array.combination.value_or(combination) != combination ||
      (array.combination && array.function != function))
    return fail("elements are combined in several ways");
  array.combination = combination;
  array.function = function;
  if (other.kind != Kind::elements)
    return is_neutral(other, combination) ? elements : fail("elements are combined with numbers");
  if (other.array != elements.array) return fail("elements of several arrays are combined");
  if (!is_idempotent(combination) && elements.elements->anyCommon(*other.elements))
    return fail("an element is taken twice");
  auto both = std::make_shared<llvm::BitVector>(*elements.elements);
  *both |= *other.elements;
  RunValue result = elements;
  result.elements = std::move(both);
  return result;
}

RunValue WorkgroupRun::evaluate_call(const clang::CallExpr& call) {
  const auto extreme = as_extreme(call);
  if (!extreme) return fail("the rounds call functions");
  const bool least = *extreme == Extreme::least;
  const RunValue left = value_of(*call.getArg(0)), right = value_of(*call.getArg(1));
  const bool floating = call.getType().getNonReferenceType()->isFloatingType();
  if (left.kind == Kind::elements || right.kind == Kind::elements)
    return combine(call, least ? Combination::least : Combination::greatest,
                   floating ? call.getDirectCallee()->getQualifiedNameAsString() : "", left, right);
  if (left.kind != Kind::integer || right.kind != Kind::integer) return {};
  const bool is_signed = call.getType().getNonReferenceType()->isSignedIntegerOrEnumerationType();
  const bool first = is_signed ? left.integer < right.integer
                               : static_cast<std::uint64_t>(left.integer) <
                                     static_cast<std::uint64_t>(right.integer);
  return first == least ? left : right;
}

}  // namespace geak::clang_tool::transforms
