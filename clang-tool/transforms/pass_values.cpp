#include "clang-tool/transforms/pass_values.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/ExprCXX.h>

#include <set>

#include "clang-tool/transforms/ast_queries.h"
#include "clang-tool/transforms/ways_to_memory.h"

namespace geak::clang_tool::transforms {
namespace {

using namespace support::pass_rule;

int kind_of(clang::BinaryOperatorKind operation) {
  switch (operation) {
    case clang::BO_Add:
      return pass_add;
    case clang::BO_Sub:
      return pass_subtract;
    case clang::BO_Mul:
      return pass_multiply;
    case clang::BO_Div:
      return pass_divide;
    case clang::BO_Rem:
      return pass_remainder;
    case clang::BO_Shl:
      return pass_shift_left;
    case clang::BO_Shr:
      return pass_shift_right;
    case clang::BO_And:
      return pass_and;
    case clang::BO_Xor:
      return pass_xor;
    default:
      return pass_unknown;
  }
}

int kind_of(LaunchValue value) {
  switch (value) {
    case LaunchValue::thread:
      return pass_thread;
    case LaunchValue::block:
      return pass_block;
    case LaunchValue::block_size:
      return pass_block_size;
    case LaunchValue::grid_size:
      return pass_grid_size;
  }
  return pass_unknown;
}

bool is_plain_integer(clang::QualType type, const clang::ASTContext& context) {
  return type->isIntegerType() && !type->isBooleanType() && !type->isEnumeralType() &&
         (context.getTypeSize(type) == 32 || context.getTypeSize(type) == 64);
}

bool is_read(const Ancestors& ancestors) {
  for (auto it = ancestors.rbegin(); it != ancestors.rend(); ++it) {
    if (llvm::isa<clang::ParenExpr>(*it)) continue;
    if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(*it); member && !member->isArrow())
      continue;
    const auto* cast = llvm::dyn_cast<clang::ImplicitCastExpr>(*it);
    return cast != nullptr && cast->getCastKind() == clang::CK_LValueToRValue;
  }
  return false;
}

/// Which pointer parameter a subscript is of, if it is of one.
const clang::ParmVarDecl* pointer_of(const clang::ArraySubscriptExpr& element) {
  const auto* parameter =
      llvm::dyn_cast_or_null<clang::ParmVarDecl>(as_variable(*element.getBase()));
  return parameter != nullptr && parameter->getType()->isPointerType() ? parameter : nullptr;
}

struct Accesses {
  std::vector<const clang::ArraySubscriptExpr*> elements;
  std::set<const clang::ParmVarDecl*> used, written, in_other_ways;
  bool takes_addresses = false;
};

Accesses accesses_of(const KernelView& kernel) {
  Accesses found;
  std::set<const clang::Stmt*> bases;
  walk(kernel.body(), [&](const clang::Stmt& node, const Ancestors& ancestors) {
    if (const auto* element = llvm::dyn_cast<clang::ArraySubscriptExpr>(&node)) {
      if (const clang::ParmVarDecl* pointer = pointer_of(*element)) {
        found.elements.push_back(element);
        if (!is_read(ancestors)) found.written.insert(pointer);
        bases.insert(&stripped(*element->getBase()));
      }
    } else if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(&node)) {
      if (unary->getOpcode() == clang::UO_AddrOf) found.takes_addresses = true;
    } else if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&node)) {
      const auto* pointer = llvm::dyn_cast<clang::ParmVarDecl>(reference->getDecl());
      if (pointer == nullptr || !pointer->getType()->isPointerType()) return true;
      found.used.insert(pointer);
      if (!bases.contains(reference)) found.in_other_ways.insert(pointer);
    }
    return true;
  });
  return found;
}

}  // namespace

int PassValues::add(int kind, const clang::Expr& typed, int left, int right, std::int64_t value) {
  const clang::QualType type = typed.getType();
  const bool fits = is_plain_integer(type, kernel_.unit.context());
  const int bits = fits ? static_cast<int>(kernel_.unit.context().getTypeSize(type)) : 64;
  rule_.ops.push_back(
      {fits ? kind : pass_unknown, left, right, value, bits, type->isSignedIntegerType()});
  return static_cast<int>(rule_.ops.size()) - 1;
}

int PassValues::unknown(const clang::Expr& typed) { return add(pass_unknown, typed, 0, 0, 0); }

/// A sum with zero in the new type: it is known only where the value fits.
int PassValues::cast(const clang::Expr& cast, const clang::Expr& inner) {
  if (!is_plain_integer(inner.getType(), kernel_.unit.context())) return unknown(cast);
  const int value = value_of(inner);
  const int zero = add(pass_constant, inner, 0, 0, 0);
  return add(pass_add, cast, value, zero, 0);
}

int PassValues::variable(const clang::Expr& reference, const clang::VarDecl& variable) {
  if (const auto found = known_.find(&variable); found != known_.end()) return found->second;
  int value = -1;
  if (!is_plain_integer(variable.getType(), kernel_.unit.context()) ||
      may_change(kernel_.body(), variable))
    value = unknown(reference);
  else if (const auto* parameter = llvm::dyn_cast<clang::ParmVarDecl>(&variable))
    value = add(pass_argument, reference, 0, 0, parameter->getFunctionScopeIndex());
  else if (variable.isLocalVarDecl() && variable.hasLocalStorage() && variable.hasInit())
    value = value_of(*variable.getInit());
  else
    value = unknown(reference);
  known_[&variable] = value;
  return value;
}

int PassValues::value_of(const clang::Expr& expression) {
  if (const auto constant = constant_value(expression, kernel_.unit.context()))
    return add(pass_constant, expression, 0, 0, *constant);
  if (const auto* paren = llvm::dyn_cast<clang::ParenExpr>(&expression))
    return value_of(*paren->getSubExpr());
  if (const auto* full = llvm::dyn_cast<clang::FullExpr>(&expression))
    return value_of(*full->getSubExpr());
  if (const auto* cast_expression = llvm::dyn_cast<clang::CastExpr>(&expression)) {
    switch (cast_expression->getCastKind()) {
      case clang::CK_LValueToRValue:
      case clang::CK_NoOp:
        return value_of(*cast_expression->getSubExpr());
      case clang::CK_IntegralCast:
        return cast(expression, *cast_expression->getSubExpr());
      default:
        break;
    }
  }
  if (const auto index = as_launch_index(expression)) {
    const bool along_x = index->axis == 0;
    return add(along_x ? kind_of(index->value) : pass_unknown, expression, 0, 0, 0);
  }
  if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(&expression)) {
    const int kind = kind_of(binary->getOpcode());
    if (kind == pass_unknown) return unknown(expression);
    const int left = value_of(*binary->getLHS());
    const int right = value_of(*binary->getRHS());
    return add(kind, expression, left, right, 0);
  }
  if (const clang::VarDecl* named = as_variable(expression);
      named != nullptr && llvm::isa<clang::DeclRefExpr>(expression))
    return variable(expression, *named);
  return unknown(expression);
}

std::optional<Refusal> add_accesses(const KernelView& kernel, support::PassRule& rule) {
  if (const auto other = other_way_to_memory(kernel.function)) return Refusal{*other};
  const Accesses accesses = accesses_of(kernel);
  if (accesses.written.empty()) return Refusal{"the kernel writes no element of a parameter"};
  if (accesses.takes_addresses) return Refusal{"the kernel takes addresses of what it accesses"};
  for (const clang::ParmVarDecl* pointer : accesses.used) {
    if (accesses.in_other_ways.contains(pointer) &&
        !pointer->getType()->getPointeeType().isConstQualified())
      return Refusal{pointer->getNameAsString() + " is used other than by its elements"};
    if (accesses.used.size() > 1 && !pointer->getType().isRestrictQualified())
      return Refusal{"the buffers may overlap: " + pointer->getNameAsString() + " is not restrict"};
  }
  PassValues values(kernel, rule);
  for (const clang::ArraySubscriptExpr* element : accesses.elements) {
    const clang::ParmVarDecl* pointer = pointer_of(*element);
    if (accesses.written.contains(pointer))
      rule.accesses.push_back({values.value_of(*element->getIdx()),
                               static_cast<int>(pointer->getFunctionScopeIndex())});
  }
  if (rule.ops.size() > most_pass_ops || rule.accesses.size() > most_pass_accesses ||
      kernel.function.getNumParams() > most_pass_accesses)
    return Refusal{"its addresses take too much arithmetic"};
  return std::nullopt;
}

std::vector<const clang::ArraySubscriptExpr*> elements_of(const KernelView& kernel,
                                                          const clang::ParmVarDecl& buffer) {
  std::vector<const clang::ArraySubscriptExpr*> found;
  for (const clang::ArraySubscriptExpr* element : accesses_of(kernel).elements)
    if (pointer_of(*element) == &buffer) found.push_back(element);
  return found;
}

}  // namespace geak::clang_tool::transforms
