#include "clang-tool/transforms/ast_queries.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>
#include <clang/Basic/Builtins.h>
#include <llvm/ADT/StringSwitch.h>

#include <algorithm>

#include "clang-tool/system_header.h"

namespace geak::clang_tool::transforms {
namespace {

using Visit = std::function<bool(const clang::Stmt&, const Ancestors&)>;

/// HIP's vectors are classes with an assignment of their own, which does no more than copying.
bool only_copies(const clang::CXXMethodDecl& method) {
  if (!method.isCopyAssignmentOperator() && !method.isMoveAssignmentOperator()) return false;
  return method.isTrivial() || is_in_system_header(*method.getParent());
}

void walk_into(const clang::Stmt* node, Ancestors& ancestors, const Visit& visit) {
  if (node == nullptr) return;
  if (const auto* pseudo = llvm::dyn_cast<clang::PseudoObjectExpr>(node))
    return walk_into(pseudo->getSyntacticForm(), ancestors, visit);
  if (!visit(*node, ancestors)) return;
  ancestors.push_back(node);
  if (const auto* property = llvm::dyn_cast<clang::MSPropertyRefExpr>(node))
    walk_into(property->getBaseExpr(), ancestors, visit);
  else
    for (const clang::Stmt* child : node->children()) walk_into(child, ancestors, visit);
  ancestors.pop_back();
}

unsigned bits_of(clang::QualType type) {
  const auto* builtin = type->getAs<clang::BuiltinType>();
  if (builtin == nullptr) return 0;
  switch (builtin->getKind()) {
    case clang::BuiltinType::Int:
    case clang::BuiltinType::UInt:
      return 32;
    case clang::BuiltinType::Long:
    case clang::BuiltinType::ULong:
    case clang::BuiltinType::LongLong:
    case clang::BuiltinType::ULongLong:
      return 64;
    default:
      return 0;
  }
}

const clang::Expr* syntactic(const clang::Expr* expression) {
  if (const auto* pseudo = llvm::dyn_cast<clang::PseudoObjectExpr>(expression))
    return pseudo->getSyntacticForm();
  return expression;
}

std::optional<unsigned> axis_of(llvm::StringRef name) {
  if (name == "x" || name == "__get_x") return 0;
  if (name == "y" || name == "__get_y") return 1;
  if (name == "z" || name == "__get_z") return 2;
  return std::nullopt;
}

std::optional<LaunchValue> launch_value_of(const clang::Expr* base) {
  const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(base->IgnoreParenImpCasts());
  if (reference == nullptr || !reference->getDecl()->getDeclContext()->isFileContext())
    return std::nullopt;
  const llvm::StringRef name = reference->getDecl()->getName();
  if (name == "threadIdx") return LaunchValue::thread;
  if (name == "blockIdx") return LaunchValue::block;
  if (name == "blockDim") return LaunchValue::block_size;
  if (name == "gridDim") return LaunchValue::grid_size;
  return std::nullopt;
}

/// A plain read climbs from the name through members, elements and parentheses to a load.
bool is_plain_read(const Ancestors& ancestors) {
  for (auto it = ancestors.rbegin(); it != ancestors.rend(); ++it) {
    const clang::Stmt* parent = *it;
    if (llvm::isa<clang::ParenExpr>(parent)) continue;
    if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(parent)) {
      if (member->isArrow()) return false;
      continue;
    }
    if (const auto* dropped = llvm::dyn_cast<clang::ExplicitCastExpr>(parent))
      return dropped->getCastKind() == clang::CK_ToVoid;
    if (const auto* cast = llvm::dyn_cast<clang::ImplicitCastExpr>(parent)) {
      if (cast->getCastKind() == clang::CK_LValueToRValue) return true;
      // An element of an array that is a variable; a pointer to it that goes elsewhere is no read.
      if (cast->getCastKind() == clang::CK_ArrayToPointerDecay && it + 1 != ancestors.rend()) {
        const auto* element = llvm::dyn_cast<clang::ArraySubscriptExpr>(*(it + 1));
        if (element != nullptr && element->getBase() == cast) {
          ++it;
          continue;
        }
      }
      if (cast->getCastKind() == clang::CK_UncheckedDerivedToBase ||
          cast->getCastKind() == clang::CK_DerivedToBase || cast->getCastKind() == clang::CK_NoOp)
        continue;
    }
    return false;
  }
  return false;
}

/// A maths function of the device library, which defines those of the C library's names: on a GPU
/// there is no errno that it could set.
bool is_maths(const clang::FunctionDecl& function, const clang::ASTContext& context) {
  const clang::IdentifierInfo* name = function.getIdentifier();
  const unsigned id = name == nullptr ? 0 : name->getBuiltinID();
  return id != 0 &&
         (context.BuiltinInfo.isConst(id) ||
          context.BuiltinInfo.isConstWithoutErrnoAndExceptions(id)) &&
         function.getReturnType()->isArithmeticType() &&
         std::ranges::all_of(function.parameters(),
                             [](const clang::ParmVarDecl* parameter) {
                               return parameter->getType()->isArithmeticType();
                             }) &&
         is_in_system_header(function);
}

}  // namespace

void walk(const clang::Stmt& root, const Visit& visit) {
  Ancestors ancestors;
  walk_into(&root, ancestors, visit);
}

const clang::Expr& stripped(const clang::Expr& expression) {
  const clang::Expr* at = &expression;
  while (true) {
    at = syntactic(at);
    const clang::Expr* inner = nullptr;
    if (const auto* paren = llvm::dyn_cast<clang::ParenExpr>(at)) {
      inner = paren->getSubExpr();
    } else if (const auto* cleanup = llvm::dyn_cast<clang::FullExpr>(at)) {
      inner = cleanup->getSubExpr();
    } else if (const auto* substituted = llvm::dyn_cast<clang::SubstNonTypeTemplateParmExpr>(at)) {
      inner = substituted->getReplacement();
    } else if (const auto* temporary = llvm::dyn_cast<clang::MaterializeTemporaryExpr>(at)) {
      inner = temporary->getSubExpr();
    } else if (const auto* implicit = llvm::dyn_cast<clang::ImplicitCastExpr>(at)) {
      if (implicit->getCastKind() == clang::CK_IntegralCast && bits_of(implicit->getType()) == 0)
        return *at;
      if (implicit->getCastKind() == clang::CK_IntegralToFloating ||
          implicit->getCastKind() == clang::CK_FloatingToIntegral ||
          implicit->getCastKind() == clang::CK_FloatingCast ||
          implicit->getCastKind() == clang::CK_IntegralToBoolean)
        return *at;
      inner = implicit->getSubExpr();
    } else if (const auto* cast = llvm::dyn_cast<clang::ExplicitCastExpr>(at)) {
      if (bits_of(cast->getType()) == 0 || bits_of(cast->getSubExpr()->getType()) == 0) return *at;
      inner = cast->getSubExpr();
    } else if (const auto* call = llvm::dyn_cast<clang::CXXMemberCallExpr>(at)) {
      if (!llvm::isa_and_nonnull<clang::CXXConversionDecl>(call->getMethodDecl())) return *at;
      inner = call->getImplicitObjectArgument();
    }
    if (inner == nullptr) return *at;
    at = inner;
  }
}

namespace {

/// What `hipThreadIdx_x` and its kin call under AMD's headers.
std::optional<LaunchIndex> as_library_launch_index(const clang::CallExpr& call) {
  const clang::FunctionDecl* callee = call.getDirectCallee();
  if (callee == nullptr || callee->getIdentifier() == nullptr || call.getNumArgs() != 1)
    return std::nullopt;
  const auto value = llvm::StringSwitch<std::optional<LaunchValue>>(callee->getName())
                         .Case("__ockl_get_local_id", LaunchValue::thread)
                         .Case("__ockl_get_group_id", LaunchValue::block)
                         .Case("__ockl_get_local_size", LaunchValue::block_size)
                         .Case("__ockl_get_num_groups", LaunchValue::grid_size)
                         .Default(std::nullopt);
  const auto axis = constant_value(*call.getArg(0), callee->getASTContext());
  if (!value || !axis || *axis < 0 || *axis > 2) return std::nullopt;
  return LaunchIndex{*value, static_cast<unsigned>(*axis)};
}

/// Functions of the device's own, whose result may depend on the work-item or on its neighbours
/// although their headers call them const.
bool is_of_device(const clang::FunctionDecl& function) {
  const clang::IdentifierInfo* name = function.getIdentifier();
  if (name == nullptr) return false;
  const llvm::StringRef text = name->getName();
  return text.starts_with("__builtin_amdgcn_") || text.starts_with("__ockl_") ||
         text.starts_with("__nvvm_") || text.starts_with("__nv_");
}

}  // namespace

std::optional<LaunchIndex> as_launch_index(const clang::Expr& expression) {
  const clang::Expr& inner = stripped(expression);
  const clang::Expr* base = nullptr;
  llvm::StringRef member_name;
  if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&inner)) {
    base = member->getBase();
    if (member->getMemberDecl()->getIdentifier() != nullptr)
      member_name = member->getMemberDecl()->getName();
  } else if (const auto* property = llvm::dyn_cast<clang::MSPropertyRefExpr>(&inner)) {
    base = property->getBaseExpr();
    member_name = property->getPropertyDecl()->getName();
  } else if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&inner)) {
    return as_library_launch_index(*call);
  }
  if (base == nullptr) return std::nullopt;
  const auto axis = axis_of(member_name);
  const auto value = launch_value_of(base);
  if (!axis || !value) return std::nullopt;
  return LaunchIndex{*value, *axis};
}

std::vector<LaunchIndexUse> launch_index_uses(const clang::Stmt& root) {
  std::vector<LaunchIndexUse> found;
  walk(root, [&](const clang::Stmt& node, const Ancestors&) {
    const auto* expression = llvm::dyn_cast<clang::Expr>(&node);
    if (expression == nullptr) return true;
    const auto index = as_launch_index(*expression);
    if (!index) return true;
    found.push_back({*index, expression});
    return false;
  });
  return found;
}

const clang::VarDecl* as_variable(const clang::Expr& expression) {
  const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&stripped(expression));
  return reference == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
}

bool may_change(const clang::Stmt& root, const clang::VarDecl& variable) {
  if (variable.getType()->isReferenceType()) return true;
  bool changes = false;
  walk(root, [&](const clang::Stmt& node, const Ancestors& ancestors) {
    const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&node);
    if (reference != nullptr && reference->getDecl() == &variable && !is_plain_read(ancestors) &&
        !reference->isNonOdrUse())
      changes = changes || !variable.getType().isConstQualified();
    return !changes;
  });
  return changes;
}

std::optional<Copying> as_copying(const clang::Expr& expression) {
  if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(&expression)) {
    if (binary->getOpcode() != clang::BO_Assign) return std::nullopt;
    return Copying{binary->getLHS(), binary->getRHS()};
  }
  const auto* call = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&expression);
  const auto* method = call == nullptr
                           ? nullptr
                           : llvm::dyn_cast_or_null<clang::CXXMethodDecl>(call->getDirectCallee());
  if (method == nullptr || !only_copies(*method)) return std::nullopt;
  return Copying{call->getArg(0), call->getArg(1)};
}

std::vector<const clang::VarDecl*> variables_in(const clang::Stmt& root) {
  std::vector<const clang::VarDecl*> found;
  walk(root, [&](const clang::Stmt& node, const Ancestors&) {
    if (const auto* expression = llvm::dyn_cast<clang::Expr>(&node))
      if (as_launch_index(*expression)) return false;
    if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&node))
      if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl()))
        if (std::ranges::find(found, variable) == found.end()) found.push_back(variable);
    return true;
  });
  return found;
}

bool mentions(const clang::Stmt& root, const clang::VarDecl& variable) {
  return std::ranges::count(variables_in(root), &variable) > 0;
}

std::optional<Extreme> as_extreme(const clang::CallExpr& call) {
  const clang::FunctionDecl* callee = call.getDirectCallee();
  if (callee == nullptr || callee->getIdentifier() == nullptr || call.getNumArgs() != 2 ||
      !is_in_system_header(*callee))
    return std::nullopt;
  const llvm::StringRef name = callee->getName();
  if (name == "min" || name == "fmin" || name == "fminf") return Extreme::least;
  if (name == "max" || name == "fmax" || name == "fmaxf") return Extreme::greatest;
  return std::nullopt;
}

std::optional<std::int64_t> constant_value(const clang::Expr& expression,
                                           const clang::ASTContext& context) {
  if (expression.isValueDependent() || !expression.getType()->isIntegralOrEnumerationType())
    return std::nullopt;
  clang::Expr::EvalResult result;
  if (!expression.EvaluateAsInt(result, context) || result.HasSideEffects) return std::nullopt;
  const llvm::APSInt& value = result.Val.getInt();
  if (value.getSignificantBits() > 63) return std::nullopt;
  return value.getExtValue();
}

bool is_pure(const clang::Stmt& root, const clang::ASTContext& context) {
  bool pure = true;
  walk(root, [&](const clang::Stmt& node, const Ancestors&) {
    if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(&node)) {
      pure = pure && !unary->isIncrementDecrementOp();
    } else if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(&node)) {
      pure = pure && !binary->isAssignmentOp();
    } else if (const auto* expression = llvm::dyn_cast<clang::Expr>(&node)) {
      if (as_launch_index(*expression)) return false;
      if (llvm::isa<clang::CallExpr, clang::CXXConstructExpr, clang::CXXNewExpr,
                    clang::CXXDeleteExpr, clang::AtomicExpr, clang::LambdaExpr>(expression)) {
        // Vector types of HIP are classes; copying one has no effect beyond the copy.
        const auto* construction = llvm::dyn_cast<clang::CXXConstructExpr>(expression);
        const bool copy =
            construction != nullptr && construction->getConstructor()->isCopyOrMoveConstructor();
        const auto* call = llvm::dyn_cast<clang::CallExpr>(expression);
        const auto* callee = call == nullptr ? nullptr : call->getDirectCallee();
        const bool free = callee != nullptr &&
                          ((!is_of_device(*callee) && (callee->hasAttr<clang::ConstAttr>() ||
                                                       callee->hasAttr<clang::PureAttr>())) ||
                           is_maths(*callee, context));
        pure = pure && (copy || free);
      }
      if (expression->getType().isVolatileQualified()) pure = false;
    } else if (llvm::isa<clang::GCCAsmStmt, clang::ReturnStmt, clang::GotoStmt>(&node)) {
      pure = false;
    }
    return pure;
  });
  return pure;
}

}  // namespace geak::clang_tool::transforms
