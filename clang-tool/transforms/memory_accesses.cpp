#include "clang-tool/transforms/memory_accesses.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>

#include "clang-tool/system_header.h"
#include "clang-tool/transforms/loop_text.h"
#include "clang-tool/transforms/memory_effects.h"
#include "clang-tool/transforms/no_overlap.h"

namespace geak::clang_tool::transforms {
namespace {

bool is_shared(const clang::VarDecl& variable) { return variable.hasAttr<clang::CUDASharedAttr>(); }

/// `__ldg(pointer)`: a plain read in another spelling.
bool is_plain_load(const clang::CallExpr& call) {
  const clang::FunctionDecl* callee = call.getDirectCallee();
  return callee != nullptr && callee->getIdentifier() != nullptr && callee->getName() == "__ldg" &&
         call.getNumArgs() == 1;
}

/// The address of a local of the caller's.
bool is_own_address(const clang::Expr& argument) {
  const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(argument.IgnoreParenCasts());
  if (unary == nullptr || unary->getOpcode() != clang::UO_AddrOf) return false;
  const clang::VarDecl* variable = root_variable(*unary->getSubExpr());
  return variable != nullptr && variable->isLocalVarDecl() && variable->hasLocalStorage();
}

/// A local of the caller's itself, or a part of it; or what only this call sees.
bool is_own_place(const clang::Expr& argument) {
  if (argument.IgnoreParenImpCasts()->isPRValue()) return true;
  const clang::VarDecl* variable = root_variable(argument);
  return variable != nullptr && variable->isLocalVarDeclOrParm() && variable->hasLocalStorage();
}

bool may_store_through(clang::QualType parameter) {
  return (parameter->isReferenceType() || parameter->isPointerType()) &&
         !parameter->getPointeeType().isConstQualified();
}

bool keeps_to_values(const clang::CallExpr& call, const clang::FunctionDecl& callee) {
  const unsigned first =
      llvm::isa<clang::CXXOperatorCallExpr>(call) && llvm::isa<clang::CXXMethodDecl>(callee) ? 1
                                                                                             : 0;
  for (unsigned i = 0; i < callee.getNumParams() && i + first < call.getNumArgs(); ++i) {
    const clang::QualType type = callee.getParamDecl(i)->getType();
    const clang::Expr& argument = *call.getArg(i + first);
    if (type->isPointerType() && !is_own_address(argument)) return false;
    // `out[i] += x` of bfloat16 is a function that gets a reference to the element.
    if (type->isReferenceType() && may_store_through(type) && !is_own_place(argument)) return false;
  }
  return !callee.isVariadic();
}

/// `z += x` of a half: an operator of HIP's that changes nothing but the local before it.
bool changes_own_object(const clang::CallExpr& call, const clang::CXXMethodDecl& method) {
  if (plain_assignment_target(call) != nullptr) return true;
  return llvm::isa<clang::CXXOperatorCallExpr>(&call) && is_in_system_header(method) &&
         is_own_place(*call.getArg(0));
}

struct Use {
  bool read = false, written = false, odd = false;
};

Use use_of_parameter(const clang::FunctionDecl* callee, unsigned position) {
  if (callee == nullptr || position >= callee->getNumParams()) return {.odd = true};
  const clang::QualType type = callee->getParamDecl(position)->getType();
  if (type->isReferenceType() && type->getPointeeType().isConstQualified()) return {.read = true};
  return {.odd = true};
}

/// Which argument of the call it is; one too many where it is none.
unsigned position_of(const auto& call, const clang::Stmt* argument) {
  unsigned position = 0;
  while (position < call.getNumArgs() && call.getArg(position) != argument) ++position;
  return position;
}

Use use_in_operator(const clang::CXXOperatorCallExpr& call, const clang::Stmt* element,
                    bool in_part) {
  const unsigned position = position_of(call, element);
  const auto* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(call.getDirectCallee());
  if (method == nullptr) return use_of_parameter(call.getDirectCallee(), position);
  if (position > 0) return use_of_parameter(method, position - 1);
  if (method->isCopyAssignmentOperator() || method->isMoveAssignmentOperator())
    return {.written = true, .odd = in_part || !method->isTrivial()};
  return method->isConst() ? Use{.read = true} : Use{.odd = true};
}

/// What becomes of an element: from the lvalue up to what reads or stores it.
Use use_of(const clang::Stmt* element, const Ancestors& ancestors) {
  bool in_part = false;
  for (auto it = ancestors.rbegin(); it != ancestors.rend(); element = *it, ++it) {
    const clang::Stmt* parent = *it;
    if (llvm::isa<clang::ParenExpr>(parent)) continue;
    if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(parent)) {
      if (const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(member->getMemberDecl()))
        return method->isConst() ? Use{.read = true} : Use{.odd = true};
      in_part = true;
      continue;
    }
    // `c ? p[i] : best` of places: what is done with the one that is taken.
    if (llvm::isa<clang::ConditionalOperator>(parent)) {
      in_part = true;
      continue;
    }
    if (const auto* cast = llvm::dyn_cast<clang::ImplicitCastExpr>(parent)) {
      if (cast->getCastKind() == clang::CK_LValueToRValue) return {.read = true};
      if (cast->getCastKind() == clang::CK_NoOp) continue;
      return {.odd = true};
    }
    if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(parent)) {
      const bool target = binary->isAssignmentOp() && binary->getLHS() == element;
      return {.read = binary->isCompoundAssignmentOp(), .written = true, .odd = !target || in_part};
    }
    if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(parent))
      return {.read = true, .written = true, .odd = in_part || !unary->isIncrementDecrementOp()};
    if (const auto* call = llvm::dyn_cast<clang::CXXOperatorCallExpr>(parent))
      return use_in_operator(*call, element, in_part);
    if (const auto* call = llvm::dyn_cast<clang::CallExpr>(parent))
      return use_of_parameter(call->getDirectCallee(), position_of(*call, element));
    if (const auto* construction = llvm::dyn_cast<clang::CXXConstructExpr>(parent))
      return use_of_parameter(construction->getConstructor(), position_of(*construction, element));
    break;
  }
  return {.odd = true};
}

}  // namespace

bool only_reads(const clang::Expr& element, const Ancestors& ancestors) {
  const Use use = use_of(&element, ancestors);
  return use.read && !use.written && !use.odd;
}

namespace {

bool is_conditional(const Ancestors& ancestors) {
  return std::ranges::any_of(ancestors, [](const clang::Stmt* ancestor) {
    const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(ancestor);
    return llvm::isa<clang::IfStmt, clang::WhileStmt, clang::DoStmt, clang::SwitchStmt,
                     clang::CXXForRangeStmt, clang::AbstractConditionalOperator>(ancestor) ||
           (binary != nullptr && binary->isLogicalOp());
  });
}

/// The loops around a place; nothing where it is in the head of one.
std::optional<std::vector<const clang::ForStmt*>> loops_around(const clang::Stmt& place,
                                                               const Ancestors& ancestors) {
  std::vector<const clang::ForStmt*> loops;
  for (std::size_t i = 0; i < ancestors.size(); ++i) {
    const auto* loop = llvm::dyn_cast<clang::ForStmt>(ancestors[i]);
    if (loop == nullptr) continue;
    const clang::Stmt* within = i + 1 < ancestors.size() ? ancestors[i + 1] : &place;
    if (loop->getBody() != within) return std::nullopt;
    loops.push_back(loop);
  }
  return loops;
}

class Collector {
 public:
  explicit Collector(const KernelView& kernel) : kernel_(kernel) {}

  std::vector<MemoryAccess> found;
  std::string problem;

  bool visit(const clang::Stmt& node, const Ancestors& ancestors) {
    if (!problem.empty()) return false;
    if (llvm::isa<clang::LambdaExpr, clang::AsmStmt, clang::AtomicExpr, clang::CXXNewExpr,
                  clang::CXXDeleteExpr>(&node))
      problem = "a lambda, assembly or an atomic operation";
    const auto* expression = llvm::dyn_cast<clang::Expr>(&node);
    if (expression == nullptr || !problem.empty()) return problem.empty();
    if (as_launch_index(*expression)) return false;
    if (expression->getType().isVolatileQualified()) problem = "volatile memory";
    if (const auto* call = llvm::dyn_cast<clang::CallExpr>(expression)) {
      if (is_plain_load(*call)) {
        add({.place = call, .address = call->getArg(0)}, {.read = true}, ancestors);
        return problem.empty();
      }
      if (!is_value_call(*call)) problem = "a call that may do more than compute a value";
    } else if (const auto* element = llvm::dyn_cast<clang::ArraySubscriptExpr>(expression)) {
      if (!element->getType()->isArrayType() && !only_names_place(ancestors))
        add({element, element->getBase(), element->getIdx()}, use_of(element, ancestors),
            ancestors);
    } else if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(expression)) {
      if (unary->getOpcode() == clang::UO_Deref)
        add({unary, unary->getSubExpr(), nullptr}, use_of(unary, ancestors), ancestors);
    } else if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(expression)) {
      if (member->isArrow() && !llvm::isa<clang::CXXThisExpr>(member->getBase()))
        add({member, member->getBase(), nullptr}, {.odd = true}, ancestors);
    } else if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(expression)) {
      const auto* variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
      if (variable != nullptr && is_shared(*variable) && !variable->getType()->isArrayType())
        add({reference, reference, nullptr, variable}, use_of(reference, ancestors), ancestors);
    }
    return problem.empty();
  }

 private:
  /// `&p[i]`: what is done with the address is looked at where that is done.
  bool only_names_place(const Ancestors& ancestors) {
    if (ancestors.empty()) return false;
    const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(ancestors.back());
    return unary != nullptr && unary->getOpcode() == clang::UO_AddrOf;
  }

  void add(MemoryAccess access, Use use, const Ancestors& ancestors) {
    if (access.root == nullptr) {
      const clang::VarDecl* variable =
          access.place->isLValue() ? root_variable(*access.place) : nullptr;
      if (variable != nullptr && !is_shared(*variable)) return;  // a local, or a constant table
      access.root = variable;
    }
    if (access.root == nullptr)
      access.root = pointed_parameter(kernel_, *access.address, *access.address);
    if (access.root == nullptr) problem = "a pointer that comes from elsewhere than an argument";
    if (use.odd) problem = "a reference to memory, or a part of an element stored";
    access.read = use.read;
    access.written = use.written;
    auto loops = loops_around(*access.place, ancestors);
    access.conditional = is_conditional(ancestors) || !loops;
    if (loops) access.loops = std::move(*loops);
    found.push_back(access);
  }

  const KernelView& kernel_;
};

}  // namespace

bool MemoryAccess::lies_in_lds() const { return is_shared(*root); }

bool is_value_call(const clang::CallExpr& call) {
  const clang::FunctionDecl* callee = call.getDirectCallee();
  if (callee == nullptr || meets_others(call) || !keeps_to_values(call, *callee)) return false;
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(callee);
  if (method != nullptr && !method->isStatic() && !method->isConst())
    return changes_own_object(call, *method);
  if (callee->hasAttr<clang::ConstAttr>()) return true;
  const clang::FunctionDecl* definition = callee->getDefinition();
  if (definition == nullptr || !definition->hasBody()) return false;
  // What HIP's headers compute from no argument is a clock or the place of the work-item.
  if (is_in_system_header(*definition)) return callee->getNumParams() > 0 || method != nullptr;
  const SharedBehaviour behaviour = shared_behaviour(*definition);
  return !behaviour.barrier && !behaviour.lds && !behaviour.wave && !behaviour.fence &&
         !behaviour.volatile_access && !behaviour.unknown_call && !behaviour.inline_asm &&
         launch_index_uses(*definition->getBody()).empty() && !behaviour.callee_uses_launch &&
         !may_store_to_global_memory(call);
}

bool is_pure_call(const clang::CallExpr& call) {
  const clang::FunctionDecl* callee = call.getDirectCallee();
  if (callee == nullptr || !is_value_call(call)) return false;
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(callee);
  if (method != nullptr && !method->isStatic() && !method->isConst()) return false;
  return std::ranges::none_of(callee->parameters(), [](const clang::ParmVarDecl* parameter) {
    return may_store_through(parameter->getType());
  });
}

std::optional<std::vector<MemoryAccess>> memory_accesses(const KernelView& kernel,
                                                         const clang::Stmt& root,
                                                         std::string& problem) {
  Collector collector(kernel);
  walk(root, [&](const clang::Stmt& node, const Ancestors& ancestors) {
    return collector.visit(node, ancestors);
  });
  problem = collector.problem;
  if (!problem.empty()) return std::nullopt;
  return std::move(collector.found);
}

}  // namespace geak::clang_tool::transforms
