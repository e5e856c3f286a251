#include "clang-tool/transforms/global_index.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>

namespace geak::clang_tool::transforms {
namespace {

bool is(const clang::Expr& expression, LaunchValue value, unsigned axis) {
  const auto index = as_launch_index(expression);
  return index && *index == LaunchIndex{value, axis};
}

bool has_block_condition(const Draft& draft, unsigned axis) {
  return std::ranges::any_of(draft.launch.conditions, [&](const support::Condition& condition) {
    return condition.kind == support::Condition::Kind::block_equals && condition.index == axis;
  });
}

class Matcher {
 public:
  Matcher(const KernelView& kernel, unsigned axis, const Draft& draft)
      : context_(kernel.unit.context()), axis_(axis) {
    if (const auto block = kernel.block(); block && has_block_condition(draft, axis))
      block_ = (*block)[axis];
  }

  bool is_global_index(const clang::Expr& expression) const {
    const auto* sum = llvm::dyn_cast<clang::BinaryOperator>(&expression);
    if (sum == nullptr || sum->getOpcode() != clang::BO_Add) return false;
    const clang::Expr& left = stripped(*sum->getLHS());
    const clang::Expr& right = stripped(*sum->getRHS());
    return (is_start(left) && is(right, LaunchValue::thread, axis_)) ||
           (is_start(right) && is(left, LaunchValue::thread, axis_));
  }

  bool is_size(const clang::Expr& expression) const {
    if (is(expression, LaunchValue::block_size, axis_)) return true;
    const auto value = constant_value(expression, context_);
    return value && block_ && *value == *block_;
  }

 private:
  bool is_start(const clang::Expr& expression) const {
    const auto* product = llvm::dyn_cast<clang::BinaryOperator>(&expression);
    if (product == nullptr || product->getOpcode() != clang::BO_Mul) return false;
    const clang::Expr& left = *product->getLHS();
    const clang::Expr& right = *product->getRHS();
    return (is(left, LaunchValue::block, axis_) && is_size(right)) ||
           (is(right, LaunchValue::block, axis_) && is_size(left));
  }

  const clang::ASTContext& context_;
  unsigned axis_;
  std::optional<std::int64_t> block_;
};

/// Comparisons of a disjunction.
void collect_alternatives(const clang::Expr& condition,
                          std::vector<const clang::BinaryOperator*>& found) {
  const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(&stripped(condition));
  if (binary == nullptr) return;
  if (binary->getOpcode() == clang::BO_LOr) {
    collect_alternatives(*binary->getLHS(), found);
    collect_alternatives(*binary->getRHS(), found);
  } else if (binary->isComparisonOp()) {
    found.push_back(binary);
  }
}

bool is_index(const KernelView& kernel, const clang::Expr& expression, const GlobalIndex& index) {
  const clang::Expr& plain = stripped(expression);
  if (std::ranges::any_of(index.uses,
                          [&](const clang::Expr* use) { return &stripped(*use) == &plain; }))
    return true;
  const clang::VarDecl* variable = as_variable(plain);
  return variable != nullptr && variable->isLocalVarDecl() && variable->hasInit() &&
         !variable->getType()->isBooleanType() &&
         kernel.unit.context().getTypeSize(variable->getType()) >= 32 &&
         !may_change(kernel.body(), *variable) && is_index(kernel, *variable->getInit(), index);
}

/// The bound b of `index >= b` or `b <= index`.
const clang::Expr* bound_of(const KernelView& kernel, const clang::BinaryOperator& comparison,
                            const GlobalIndex& index) {
  if (comparison.getOpcode() == clang::BO_GE && is_index(kernel, *comparison.getLHS(), index))
    return comparison.getRHS();
  if (comparison.getOpcode() == clang::BO_LE && is_index(kernel, *comparison.getRHS(), index))
    return comparison.getLHS();
  return nullptr;
}

}  // namespace

bool is_global_index(const KernelView& kernel, const clang::Expr& expression, unsigned axis,
                     const Draft& draft) {
  return Matcher(kernel, axis, draft).is_global_index(stripped(expression));
}

bool is_block_size(const KernelView& kernel, const clang::Expr& expression, unsigned axis,
                   const Draft& draft) {
  return Matcher(kernel, axis, draft).is_size(expression);
}

std::optional<Refusal> tied_to_workgroup(const KernelView& kernel) {
  const SharedBehaviour behaviour = shared_behaviour(kernel.function);
  if (behaviour.barrier) return Refusal{"the kernel has barriers"};
  if (behaviour.lds) return Refusal{"the kernel uses LDS"};
  if (behaviour.wave) return Refusal{"the kernel uses wave operations"};
  if (auto refusal = shows_its_order(behaviour)) return refusal;
  if (behaviour.callee_uses_launch)
    return Refusal{"a function that the kernel calls reads threadIdx or its kin"};
  return may_show_its_order(behaviour);
}

std::variant<GlobalIndex, Refusal> global_index(const KernelView& kernel, unsigned axis,
                                                const Draft& draft) {
  if (auto refusal = tied_to_workgroup(kernel)) return *refusal;
  const Matcher matcher(kernel, axis, draft);
  const std::string name(1, static_cast<char>('x' + axis));
  GlobalIndex index{axis, {}};
  std::optional<Refusal> refusal;
  walk(kernel.body(), [&](const clang::Stmt& node, const Ancestors&) {
    const auto* expression = llvm::dyn_cast<clang::Expr>(&node);
    if (expression == nullptr) return true;
    if (matcher.is_global_index(*expression)) {
      index.uses.push_back(expression);
      return false;
    }
    const auto use = as_launch_index(*expression);
    if (!use) return true;
    if (use->axis == axis)
      refusal = Refusal{"the kernel uses its place along " + name +
                        " in other ways than blockIdx * blockDim + threadIdx"};
    return false;
  });
  if (refusal) return *refusal;
  if (index.uses.empty()) return Refusal{"the kernel does not use its place along " + name};
  return index;
}

std::variant<GlobalIndex, Refusal> workgroup_index(const KernelView& kernel, unsigned axis) {
  if (auto refusal = tied_to_workgroup(kernel)) return *refusal;
  const std::string name(1, static_cast<char>('x' + axis));
  GlobalIndex index{axis, {}, true};
  for (const LaunchIndexUse& use : launch_index_uses(kernel.body())) {
    if (use.index.axis != axis) continue;
    if (use.index.value != LaunchValue::block)
      return Refusal{"the kernel uses its place along " + name + " in other ways than blockIdx"};
    index.uses.push_back(use.expression);
  }
  if (index.uses.empty()) return Refusal{"the kernel does not use its place along " + name};
  return index;
}

std::optional<std::string> expanded(const KernelView& kernel, const clang::Expr& expression,
                                    const Substitute& substitute, const LaunchText& launch_text) {
  const clang::ASTContext& context = kernel.unit.context();
  if (const auto value = constant_value(expression, context)) {
    const bool wide = context.getTypeSize(expression.getType()) > 32;
    return "(" + std::to_string(*value) +
           (expression.getType()->isUnsignedIntegerType() ? "u" : "") + (wide ? "ll" : "") + ")";
  }
  const auto recurse = [&](const clang::Expr& inner) {
    return expanded(kernel, inner, substitute, launch_text);
  };
  const auto cast_to = [&](clang::QualType type, const clang::Expr& inner) {
    auto text = recurse(inner);
    if (text)
      text = "((" +
             type.getCanonicalType().getUnqualifiedType().getAsString(context.getPrintingPolicy()) +
             ")" + *text + ")";
    return text;
  };
  if (const auto* paren = llvm::dyn_cast<clang::ParenExpr>(&expression))
    return recurse(*paren->getSubExpr());
  if (const auto* full = llvm::dyn_cast<clang::FullExpr>(&expression))
    return recurse(*full->getSubExpr());
  if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(&expression)) {
    if (cast->getCastKind() == clang::CK_LValueToRValue || cast->getCastKind() == clang::CK_NoOp)
      return recurse(*cast->getSubExpr());
    if (cast->getCastKind() == clang::CK_IntegralCast)
      return cast_to(cast->getType(), *cast->getSubExpr());
  }
  if (const auto index = as_launch_index(expression))
    return launch_text ? launch_text(*index) : std::nullopt;
  if (llvm::isa<clang::CastExpr>(&expression)) return std::nullopt;
  if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(&expression)) {
    if (binary->isAssignmentOp() || binary->getOpcode() == clang::BO_Comma) return std::nullopt;
    const auto left = recurse(*binary->getLHS());
    const auto right = recurse(*binary->getRHS());
    if (!left || !right) return std::nullopt;
    return "(" + *left + " " + binary->getOpcodeStr().str() + " " + *right + ")";
  }
  if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&expression)) {
    // dims.x of a struct parameter, through anonymous members and bases.
    const clang::Expr* base = member;
    while (true) {
      if (const auto* next = llvm::dyn_cast<clang::MemberExpr>(base)) {
        if (next->isArrow()) return std::nullopt;
        base = next->getBase();
      } else if (const auto* cast = llvm::dyn_cast<clang::ImplicitCastExpr>(base)) {
        base = cast->getSubExpr();
      } else {
        break;
      }
    }
    const clang::VarDecl* variable = as_variable(*base);
    if (!llvm::isa_and_nonnull<clang::ParmVarDecl>(variable) ||
        may_change(kernel.body(), *variable) || !member->getMemberDecl()->getIdentifier())
      return std::nullopt;
    return variable->getNameAsString() + "." + member->getMemberDecl()->getNameAsString();
  }
  const clang::VarDecl* variable = as_variable(expression);
  if (variable == nullptr || variable->getType()->isReferenceType()) return std::nullopt;
  if (auto text = substitute(*variable)) return text;
  if (may_change(kernel.body(), *variable)) return std::nullopt;
  if (llvm::isa<clang::ParmVarDecl>(variable)) return variable->getNameAsString();
  if (!variable->isLocalVarDecl() || !variable->hasInit()) return std::nullopt;
  return cast_to(variable->getType(), *variable->getInit());
}

const clang::Expr* as_early_return(const clang::Stmt& statement) {
  const auto* branch = llvm::dyn_cast<clang::IfStmt>(&statement);
  if (branch == nullptr || branch->getElse() != nullptr || branch->getInit() != nullptr ||
      branch->hasVarStorage() || branch->isConstexpr())
    return nullptr;
  const clang::Stmt* then = branch->getThen();
  if (const auto* block = llvm::dyn_cast<clang::CompoundStmt>(then)) {
    if (block->size() != 1) return nullptr;
    then = block->body_front();
  }
  const auto* leave = llvm::dyn_cast<clang::ReturnStmt>(then);
  return leave != nullptr && leave->getRetValue() == nullptr ? branch->getCond() : nullptr;
}

std::optional<std::string> items_bound(const KernelView& kernel, const clang::Expr& condition,
                                       const GlobalIndex& index) {
  std::vector<const clang::BinaryOperator*> alternatives;
  collect_alternatives(condition, alternatives);
  for (const clang::BinaryOperator* comparison : alternatives) {
    const clang::Expr* bound = bound_of(kernel, *comparison, index);
    if (bound == nullptr) continue;
    auto text = expanded(kernel, *bound, [](const clang::VarDecl&) -> std::optional<std::string> {
      return std::nullopt;
    });
    if (text) return text;
  }
  return std::nullopt;
}

std::vector<const clang::Expr*> other_alternatives(const KernelView& kernel,
                                                   const clang::Expr& condition,
                                                   const GlobalIndex& index) {
  const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(&stripped(condition));
  if (binary != nullptr && binary->getOpcode() == clang::BO_LOr) {
    auto left = other_alternatives(kernel, *binary->getLHS(), index);
    const auto right = other_alternatives(kernel, *binary->getRHS(), index);
    left.insert(left.end(), right.begin(), right.end());
    return left;
  }
  if (binary != nullptr && binary->isComparisonOp() && bound_of(kernel, *binary, index) != nullptr)
    return {};
  return {&condition};
}

std::string items_reach(const std::string& bound, const GlobalIndex& index, std::uint64_t slack) {
  const std::string axis(1, static_cast<char>('x' + index.axis));
  const std::string items =
      "(long long)geak_grid." + axis + (index.of_workgroup ? "" : " * geak_block." + axis);
  const std::string value = "(long long)(" + bound + ")";
  return value + " >= 0 && " + items + " >= " + value + " && " + items + " < 0x7fffffffll - " +
         std::to_string(slack);
}

std::optional<std::string> extra_items_return(const KernelView& kernel, const GlobalIndex& index,
                                              std::uint64_t slack) {
  for (const clang::Stmt* statement : kernel.body().body()) {
    if (const clang::Expr* condition = as_early_return(*statement)) {
      if (const auto text = items_bound(kernel, *condition, index))
        return items_reach(*text, index, slack);
      continue;
    }
    // Only what has no effect may come before the return that stops the extra items.
    const bool declares = llvm::isa<clang::DeclStmt>(statement);
    if (!declares || !is_pure(*statement, kernel.unit.context())) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace geak::clang_tool::transforms
