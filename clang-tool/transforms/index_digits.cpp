#include "clang-tool/transforms/index_digits.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Stmt.h>

#include <algorithm>

namespace geak::clang_tool::transforms {
namespace {

using Factors = std::vector<std::string>;

/// `whole` without `part`, where all of `part` is in it.
std::optional<Factors> without(Factors whole, const Factors& part) {
  for (const std::string& factor : part) {
    const auto at = std::ranges::find(whole, factor);
    if (at == whole.end()) return std::nullopt;
    whole.erase(at);
  }
  return whole;
}

std::string product(const Factors& factors) {
  std::string text;
  for (const std::string& factor : factors) text += (text.empty() ? "" : " * ") + factor;
  return text.empty() ? "1" : text;
}

}  // namespace

IndexDigits::IndexDigits(const KernelView& kernel, const GlobalIndex& index)
    : kernel_(kernel), index_(index) {
  for (const clang::Stmt* statement : kernel.body().body()) {
    const auto* declaration = llvm::dyn_cast<clang::DeclStmt>(statement);
    if (declaration == nullptr || !declaration->isSingleDecl()) continue;
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(declaration->getSingleDecl());
    if (variable == nullptr) continue;
    if (auto digit = as_digit(*variable)) digits_.push_back(std::move(*digit));
  }
}

const Digit* IndexDigits::find(const std::string& name) const {
  const auto at = std::ranges::find_if(
      digits_, [&](const Digit& digit) { return digit.variable->getNameAsString() == name; });
  return at == digits_.end() ? nullptr : &*at;
}

std::optional<Factors> IndexDigits::factors(const clang::Expr& expression) const {
  const clang::Expr& plain = stripped(expression);
  if (const auto value = constant_value(plain, kernel_.unit.context()))
    return *value > 0 ? std::optional(Factors{std::to_string(*value)}) : std::nullopt;
  if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(&plain)) {
    if (binary->getOpcode() != clang::BO_Mul) return std::nullopt;
    auto left = factors(*binary->getLHS());
    const auto right = factors(*binary->getRHS());
    if (!left || !right) return std::nullopt;
    left->insert(left->end(), right->begin(), right->end());
    return left;
  }
  const clang::VarDecl* variable = as_variable(plain);
  if (variable == nullptr || !variable->getType()->isIntegerType() ||
      kernel_.unit.context().getTypeSize(variable->getType()) < 32 ||
      may_change(kernel_.body(), *variable))
    return std::nullopt;
  if (llvm::isa<clang::ParmVarDecl>(variable)) return Factors{variable->getNameAsString()};
  if (!variable->isLocalVarDecl() || !variable->hasInit()) return std::nullopt;
  return factors(*variable->getInit());
}

std::optional<Factors> IndexDigits::quotient(const clang::Expr& expression) const {
  const clang::Expr& plain = stripped(expression);
  for (const clang::Expr* use : index_.uses)
    if (&stripped(*use) == &plain) return Factors{};
  if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(&plain)) {
    if (binary->getOpcode() != clang::BO_Div) return std::nullopt;
    auto above = quotient(*binary->getLHS());
    const auto by = factors(*binary->getRHS());
    if (!above || !by) return std::nullopt;
    above->insert(above->end(), by->begin(), by->end());
    return above;
  }
  const clang::VarDecl* variable = as_variable(plain);
  if (variable == nullptr || !variable->isLocalVarDecl() || !variable->hasInit() ||
      !variable->getType()->isIntegerType() || variable->getType()->isBooleanType() ||
      kernel_.unit.context().getTypeSize(variable->getType()) < 32 ||
      may_change(kernel_.body(), *variable))
    return std::nullopt;
  return quotient(*variable->getInit());
}

std::optional<Digit> IndexDigits::as_digit(const clang::VarDecl& variable) const {
  if (!variable.isLocalVarDecl() || !variable.hasInit() || !variable.getType()->isIntegerType() ||
      variable.getType()->isBooleanType() ||
      kernel_.unit.context().getTypeSize(variable.getType()) < 32 ||
      may_change(kernel_.body(), variable))
    return std::nullopt;
  const clang::Expr& value = stripped(*variable.getInit());
  if (auto below = quotient(value)) return Digit{&variable, std::move(*below), {}};
  const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(&value);
  if (binary == nullptr || binary->getOpcode() != clang::BO_Rem) return std::nullopt;
  auto below = quotient(*binary->getLHS());
  auto radix = factors(*binary->getRHS());
  if (!below || !radix) return std::nullopt;
  return Digit{&variable, std::move(*below), std::move(*radix)};
}

std::map<const clang::VarDecl*, std::string> IndexDigits::growth(const Digit& digit) const {
  std::map<const clang::VarDecl*, std::string> found;
  Factors above = digit.below;
  above.insert(above.end(), digit.radix.begin(), digit.radix.end());
  for (const Digit& other : digits_) {
    if (const auto rest = without(digit.below, other.below)) {
      // The items differ by a multiple of `rest` in what is divided so far.
      if (other.radix.empty())
        found[other.variable] = product(*rest);
      else if (!rest->empty() && without(*rest, other.radix))
        found[other.variable] = "";
      else if (rest->empty() && without(other.radix, digit.radix) == Factors{})
        found[other.variable] = "1";
    } else if (!digit.radix.empty() && without(other.below, above)) {
      // No carry leaves the digit.
      found[other.variable] = "";
    }
  }
  return found;
}

}  // namespace geak::clang_tool::transforms
