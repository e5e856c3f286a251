#include "clang-tool/transforms/wide_items.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Stmt.h>

#include <algorithm>

#include "clang-tool/transforms/no_overlap.h"

namespace geak::clang_tool::transforms {
namespace {

constexpr unsigned widest = 16, narrowest = 4, deepest = 8;

/// Nothing on the way from the statement to the element decides whether it is reached.
bool is_always_reached(const Ancestors& path) {
  return std::ranges::none_of(path, [](const clang::Stmt* node) {
    const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(node);
    return llvm::isa<clang::IfStmt, clang::ForStmt, clang::WhileStmt, clang::DoStmt,
                     clang::SwitchStmt, clang::AbstractConditionalOperator, clang::LambdaExpr,
                     clang::UnaryExprOrTypeTraitExpr, clang::CompoundStmt>(node) ||
           (binary != nullptr && binary->isLogicalOp());
  });
}

}  // namespace

WideItems::WideItems(const KernelView& kernel, unsigned count, std::set<const clang::VarDecl*> next,
                     std::set<const clang::VarDecl*> multiples,
                     std::function<bool(const clang::Expr&)> same)
    : kernel_(kernel),
      count_(count),
      next_(std::move(next)),
      multiples_(std::move(multiples)),
      same_(std::move(same)) {}

std::vector<WideItem> WideItems::of(const clang::Stmt& statement) const {
  std::vector<WideItem> found;
  walk(statement, [&](const clang::Stmt& node, const Ancestors& path) {
    const auto* expression = llvm::dyn_cast<clang::Expr>(&node);
    if (expression == nullptr) return true;
    if (as_launch_index(*expression)) return false;
    if (auto wide = as_wide(*expression, path)) found.push_back(std::move(*wide));
    return true;
  });
  return found;
}

std::optional<WideItem> WideItems::as_wide(const clang::Expr& node, const Ancestors& path) const {
  const auto* element = llvm::dyn_cast<clang::ArraySubscriptExpr>(&node);
  if (element == nullptr || path.empty() || !is_always_reached(path)) return std::nullopt;
  WideItem wide;
  wide.element = element;
  const auto* load = llvm::dyn_cast<clang::ImplicitCastExpr>(path.back());
  const auto* assignment = llvm::dyn_cast<clang::BinaryOperator>(path.back());
  wide.is_store = assignment != nullptr && assignment->getOpcode() == clang::BO_Assign &&
                  assignment->getLHS() == element && path.size() == 1;
  if (!wide.is_store && (load == nullptr || load->getCastKind() != clang::CK_LValueToRValue))
    return std::nullopt;
  const clang::ASTContext& context = kernel_.unit.context();
  const clang::QualType type = element->getType().getCanonicalType();
  if (!type->isArithmeticType() || type.isVolatileQualified()) return std::nullopt;
  const auto size = static_cast<unsigned>(context.getTypeSizeInChars(type).getQuantity());
  const unsigned all = size * count_;
  wide.bytes = std::min(all, widest);
  wide.accesses = all / wide.bytes;
  wide.type = type.getUnqualifiedType().getAsString(context.getPrintingPolicy());
  if (wide.bytes < narrowest || size >= wide.bytes) return std::nullopt;
  const auto origin = pointer_origin(kernel_, *element->getBase(), *element->getBase());
  if (!origin || !grows_by_one(*element->getIdx())) return std::nullopt;
  for (const clang::Expr* offset : origin->offsets)
    if (!same_(*offset) || !is_multiple(*offset)) return std::nullopt;
  wide.pointer = origin->parameter;
  return wide;
}

bool WideItems::grows_by_one(const clang::Expr& index) const {
  const clang::Expr& plain = stripped(index);
  if (const clang::VarDecl* variable = as_variable(plain)) return next_.contains(variable);
  const auto* sum = llvm::dyn_cast<clang::BinaryOperator>(&plain);
  if (sum == nullptr || sum->getOpcode() != clang::BO_Add) return false;
  const auto fits = [&](const clang::Expr& grows, const clang::Expr& stays) {
    return grows_by_one(grows) && same_(stays) && is_multiple(stays);
  };
  return fits(*sum->getLHS(), *sum->getRHS()) || fits(*sum->getRHS(), *sum->getLHS());
}

bool WideItems::is_multiple(const clang::Expr& expression, unsigned depth) const {
  const clang::Expr& plain = stripped(expression);
  if (depth > deepest) return false;
  if (const auto value = constant_value(plain, kernel_.unit.context()))
    return *value % static_cast<std::int64_t>(count_) == 0;
  if (const clang::VarDecl* variable = as_variable(plain)) {
    if (next_.contains(variable)) return true;
    if (multiples_.contains(variable)) return relied_on_.insert(variable), true;
    return variable->isLocalVarDecl() && variable->hasInit() &&
           variable->getType()->isIntegerType() && !may_change(kernel_.body(), *variable) &&
           is_multiple(*variable->getInit(), depth + 1);
  }
  const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(&plain);
  if (binary == nullptr) return false;
  const auto is = [&](const clang::Expr* part) { return is_multiple(*part, depth + 1); };
  if (binary->getOpcode() == clang::BO_Mul) return is(binary->getRHS()) || is(binary->getLHS());
  return binary->isAdditiveOp() && is(binary->getLHS()) && is(binary->getRHS());
}

}  // namespace geak::clang_tool::transforms
