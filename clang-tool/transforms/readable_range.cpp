#include "clang-tool/transforms/readable_range.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>

#include <algorithm>

#include "clang-tool/transforms/global_index.h"
#include "clang-tool/transforms/memory_effects.h"
#include "clang-tool/transforms/no_overlap.h"

namespace geak::clang_tool::transforms {
namespace {

constexpr unsigned deepest = 24;

std::string axis_text(unsigned axis) { return std::string(1, static_cast<char>('x' + axis)); }

/// Comparisons of which one holding makes a disjunction hold.
void collect(const clang::Expr& condition, std::vector<const clang::BinaryOperator*>& found) {
  const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(&stripped(condition));
  if (binary == nullptr) return;
  if (binary->getOpcode() == clang::BO_LOr) {
    collect(*binary->getLHS(), found);
    collect(*binary->getRHS(), found);
  } else if (binary->isRelationalOp()) {
    found.push_back(binary);
  }
}

}  // namespace

std::string readable(const std::string& pointer, const std::string& bytes) {
  return "geak_swap::readable(" + pointer + ", " + bytes + ")";
}

ReadableRange::ReadableRange(const KernelView& kernel, const CountedLoop& loop, const Draft& draft)
    : kernel_(kernel), loop_(loop), launch_is_kept_(draft.launch.keeps_launch()) {
  walk(kernel.body(), [&](const clang::Stmt& node, const Ancestors&) {
    if (const auto counted = as_counted_loop(node, kernel.unit.context()))
      enclosing_.push_back(*counted);
    return true;
  });
}

std::optional<ReadableRange::Bound> ReadableRange::bound(const clang::Expr& expression,
                                                         unsigned depth) {
  if (depth > deepest) return std::nullopt;
  const clang::ASTContext& context = kernel_.unit.context();
  if (const auto value = constant_value(expression, context)) {
    if (*value < 0) return std::nullopt;
    return Bound{std::to_string(*value) + ".0", value};
  }
  if (const auto index = as_launch_index(expression)) return bound_of_launch(*index);
  const clang::Expr& plain = *expression.IgnoreParens();
  if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(&plain)) {
    const bool loads = cast->getCastKind() == clang::CK_LValueToRValue;
    const bool widens =
        cast->getCastKind() == clang::CK_IntegralCast && context.getTypeSize(cast->getType()) >= 32;
    if (!loads && !widens && cast->getCastKind() != clang::CK_NoOp) return std::nullopt;
    return bound(*cast->getSubExpr(), depth + 1);
  }
  if (const auto* full = llvm::dyn_cast<clang::FullExpr>(&plain))
    return bound(*full->getSubExpr(), depth + 1);
  if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(&plain)) {
    const bool product = binary->getOpcode() == clang::BO_Mul;
    if (!product && binary->getOpcode() != clang::BO_Add) return std::nullopt;
    const auto left = bound(*binary->getLHS(), depth + 1);
    const auto right = bound(*binary->getRHS(), depth + 1);
    if (!left || !right) return std::nullopt;
    Bound both{"(" + left->text + (product ? " * " : " + ") + right->text + ")", std::nullopt};
    if (left->constant && right->constant) {
      std::int64_t value = 0;
      if (product ? __builtin_mul_overflow(*left->constant, *right->constant, &value)
                  : __builtin_add_overflow(*left->constant, *right->constant, &value))
        return std::nullopt;
      both.constant = value;
    }
    return both;
  }
  const clang::VarDecl* variable = as_variable(plain);
  return variable == nullptr ? std::nullopt : bound_of_variable(*variable, depth + 1);
}

std::optional<ReadableRange::Bound> ReadableRange::bound_of_variable(const clang::VarDecl& variable,
                                                                     unsigned depth) {
  if (!variable.getType()->isIntegerType()) return std::nullopt;
  if (loop_.variable == &variable) return bound_of_loop_variable(loop_, depth);
  for (const CountedLoop& loop : enclosing_)
    if (loop.variable == &variable) return bound_of_loop_variable(loop, depth);
  if (may_change(kernel_.body(), variable)) return std::nullopt;
  if (llvm::isa<clang::ParmVarDecl>(&variable)) {
    const std::string name = variable.getNameAsString();
    if (variable.getType()->isSignedIntegerType()) not_negative_.insert(name);
    return Bound{"(double)(" + name + ")", std::nullopt};
  }
  if (!variable.isLocalVarDecl() || !variable.hasInit()) return std::nullopt;
  const bool was_kept = std::exchange(launch_is_kept_, true);
  auto plain = bound(*variable.getInit(), depth + 1);  // that it is not negative
  launch_is_kept_ = was_kept;
  if (!plain) return std::nullopt;
  if (auto by_return = bound_by_return(variable, depth + 1)) return by_return;
  return bound(*variable.getInit(), depth + 1);
}

/// `a < b ? a : b` and its like; null where it is anything else.
const clang::ConditionalOperator* as_minimum(const KernelView& kernel,
                                             const clang::Expr& expression) {
  const auto* choice = llvm::dyn_cast<clang::ConditionalOperator>(&stripped(expression));
  if (choice == nullptr) return nullptr;
  const auto* test = llvm::dyn_cast<clang::BinaryOperator>(&stripped(*choice->getCond()));
  if (test == nullptr || !test->isRelationalOp()) return nullptr;
  const bool less = test->getOpcode() == clang::BO_LT || test->getOpcode() == clang::BO_LE;
  const std::string smaller = kernel.source.text(less ? *test->getLHS() : *test->getRHS());
  const std::string larger = kernel.source.text(less ? *test->getRHS() : *test->getLHS());
  const bool matches = !smaller.empty() && smaller == kernel.source.text(*choice->getTrueExpr()) &&
                       larger == kernel.source.text(*choice->getFalseExpr());
  return matches ? choice : nullptr;
}

/// Of a loop's end, which may be negative: there are no rounds then.
std::optional<ReadableRange::Bound> ReadableRange::bound_of_end(const clang::Expr& end,
                                                                unsigned depth) {
  if (depth > deepest) return std::nullopt;
  if (const auto* choice = as_minimum(kernel_, end)) {
    auto first = bound_of_end(*choice->getTrueExpr(), depth + 1);
    return first ? first : bound_of_end(*choice->getFalseExpr(), depth + 1);
  }
  const clang::VarDecl* variable = as_variable(end);
  if (variable != nullptr && variable->isLocalVarDecl() && variable->hasInit() &&
      !may_change(kernel_.body(), *variable) && as_minimum(kernel_, *variable->getInit()))
    return bound_of_end(*variable->getInit(), depth + 1);
  return bound(end, depth + 1);
}

std::optional<ReadableRange::Bound> ReadableRange::bound_of_loop_variable(const CountedLoop& loop,
                                                                          unsigned depth) {
  if (!bound(*loop.begin, depth + 1)) return std::nullopt;
  const auto end = bound_of_end(*loop.end, depth + 1);
  if (!end || loop.end_included) return end;
  if (end->constant) return Bound{std::to_string(*end->constant - 1) + ".0", *end->constant - 1};
  return Bound{"(" + end->text + " - 1.0)", std::nullopt};
}

/// `if (variable >= bound) return;` stands before the loop.
std::optional<ReadableRange::Bound> ReadableRange::bound_by_return(const clang::VarDecl& variable,
                                                                   unsigned depth) {
  const auto place = kernel_.source.range(*loop_.statement);
  for (const clang::Stmt* statement : kernel_.body().body()) {
    const auto range = kernel_.source.range(*statement);
    if (!range || !place || range->begin >= place->begin) continue;
    const clang::Expr* condition = as_early_return(*statement);
    if (condition == nullptr) continue;
    std::vector<const clang::BinaryOperator*> comparisons;
    collect(*condition, comparisons);
    for (const clang::BinaryOperator* comparison : comparisons) {
      const clang::Expr* limit = nullptr;
      if (comparison->getOpcode() == clang::BO_GE &&
          as_variable(*comparison->getLHS()) == &variable)
        limit = comparison->getRHS();
      if (comparison->getOpcode() == clang::BO_LE &&
          as_variable(*comparison->getRHS()) == &variable)
        limit = comparison->getLHS();
      const auto most = limit == nullptr ? std::nullopt : bound(*limit, depth + 1);
      if (most) return Bound{"(" + most->text + " - 1.0)", std::nullopt};
    }
  }
  return std::nullopt;
}

std::optional<ReadableRange::Bound> ReadableRange::bound_of_launch(LaunchIndex index) const {
  // The host's condition speaks of the original's launch.
  if (!launch_is_kept_) return std::nullopt;
  const std::string axis = axis_text(index.axis);
  switch (index.value) {
    case LaunchValue::thread:
      return Bound{"((double)geak_block." + axis + " - 1.0)", std::nullopt};
    case LaunchValue::block:
      return Bound{"((double)geak_grid." + axis + " - 1.0)", std::nullopt};
    case LaunchValue::block_size:
      return Bound{"(double)geak_block." + axis, std::nullopt};
    case LaunchValue::grid_size:
      return Bound{"(double)geak_grid." + axis, std::nullopt};
  }
  return std::nullopt;
}

/// An element of a local or `__shared__` array of known size.
bool ReadableRange::lies_in_array(const clang::Expr& element) {
  const clang::VarDecl* variable = root_variable(element);
  if (variable == nullptr) return false;
  bool inside = true;
  const clang::Expr* at = &element;
  while (true) {
    at = at->IgnoreParenImpCasts();
    if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(at)) {
      at = member->getBase();
    } else if (const auto* subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(at)) {
      const auto* array = kernel_.unit.context().getAsConstantArrayType(
          subscript->getBase()->IgnoreParenImpCasts()->getType());
      const auto most = bound(*subscript->getIdx(), 0);
      inside = inside && array != nullptr && most && most->constant &&
               *most->constant < static_cast<std::int64_t>(array->getSize().getZExtValue());
      at = subscript->getBase();
    } else {
      return inside;
    }
  }
}

bool ReadableRange::add(const clang::Expr& element) {
  if (lies_in_array(element)) return true;
  const clang::Expr* pointer = accessed_pointer(element);
  if (pointer == nullptr) return false;
  auto origin = pointer_origin(kernel_, *pointer, *loop_.statement);
  if (!origin) return false;
  // The part of the address that stands in the access itself; members lie within an element.
  const clang::Expr* at = &element;
  while (const auto* member = llvm::dyn_cast<clang::MemberExpr>(at->IgnoreParenImpCasts())) {
    if (member->isArrow()) break;
    at = member->getBase();
  }
  if (const auto* subscript =
          llvm::dyn_cast<clang::ArraySubscriptExpr>(at->IgnoreParenImpCasts())) {
    if (accessed_pointer(*subscript) != subscript->getBase()) return false;
    origin->offsets.push_back(subscript->getIdx());
  }
  std::string text;
  std::int64_t constant = 0;
  for (const clang::Expr* offset : origin->offsets) {
    // `k * 3 + 2`: the constant apart, so that neighbours ask one question of the host.
    const clang::Expr* part = offset;
    while (const auto* sum = llvm::dyn_cast<clang::BinaryOperator>(&stripped(*part))) {
      const auto value = sum->getOpcode() == clang::BO_Add
                             ? constant_value(*sum->getRHS(), kernel_.unit.context())
                             : std::nullopt;
      if (!value || *value < 0 || *value > (1 << 30)) break;
      constant += *value;
      part = sum->getLHS();
    }
    const auto most = bound(*part, 0);
    if (!most) return false;
    if (most->constant)
      constant += *most->constant;
    else
      text += (text.empty() ? "" : " + ") + most->text;
  }
  const clang::QualType type = pointer->getType()->getPointeeType();
  if (type->isIncompleteType() || constant > (std::int64_t{1} << 52)) return false;
  const std::int64_t bytes = kernel_.unit.context().getTypeSizeInChars(type).getQuantity();
  auto& read = reads_[{origin->parameter, text}];
  read.first = std::max(read.first, constant);
  read.second = std::max(read.second, bytes);
  return true;
}

void ReadableRange::require(Draft& draft) const {
  if (reads_.empty()) return;
  for (const std::string& name : not_negative_) draft.require("(" + name + ") >= 0");
  for (const auto& [key, read] : reads_) {
    const std::string elements =
        (key.second.empty() ? "" : key.second + " + ") + std::to_string(read.first + 1) + ".0";
    draft.require(readable(key.first->getNameAsString(),
                           std::to_string(read.second) + ".0 * (" + elements + ")"));
  }
}

}  // namespace geak::clang_tool::transforms
