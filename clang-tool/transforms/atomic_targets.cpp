#include "clang-tool/transforms/atomic_targets.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>
#include <set>

#include "clang-tool/system_header.h"
#include "clang-tool/transforms/uniform_values.h"

namespace geak::clang_tool::transforms {
namespace {

/// HIP's functions of two arguments that only combine: what they leave does not depend on order, or
/// for sums of floating-point numbers on nothing but it.
bool combines(const std::string& name) {
  for (const char* known :
       {"atomicAdd", "atomicMin", "atomicMax", "atomicOr", "atomicAnd", "atomicXor"})
    if (name == known) return true;
  return false;
}

/// The value that changes nothing, of a type of 32 or 64 bits.
std::string identity_of(const std::string& operation, const std::string& type, bool is_signed) {
  const std::string all = "(" + type + ")~0ull";
  const std::string most =
      is_signed ? "(" + type + ")((~0ull >> (64 - 8 * sizeof(" + type + "))) >> 1)" : all;
  if (operation == "atomicMin") return most;
  if (operation == "atomicMax") return is_signed ? "(" + type + ")(-" + most + " - 1)" : "0";
  return operation == "atomicAnd" ? all : "0";
}

/// The name p in `&p[i]`, `p + i` and `p`, or null.
const clang::DeclRefExpr* pointer_in(const clang::Expr& address) {
  const clang::Expr* at = address.IgnoreParenImpCasts();
  while (true) {
    const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(at);
    const auto* sum = llvm::dyn_cast<clang::BinaryOperator>(at);
    if (unary != nullptr && unary->getOpcode() == clang::UO_AddrOf) {
      const auto* element =
          llvm::dyn_cast<clang::ArraySubscriptExpr>(unary->getSubExpr()->IgnoreParens());
      if (element == nullptr) return nullptr;
      at = element->getBase()->IgnoreParenImpCasts();
    } else if (sum != nullptr && sum->getOpcode() == clang::BO_Add) {
      const bool left = sum->getLHS()->getType()->isPointerType();
      at = (left ? sum->getLHS() : sum->getRHS())->IgnoreParenImpCasts();
    } else {
      return llvm::dyn_cast<clang::DeclRefExpr>(at);
    }
  }
}

const clang::VarDecl* pointer_of(const clang::Expr& address) {
  const clang::DeclRefExpr* name = pointer_in(address);
  return name == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(name->getDecl());
}

/// Whether the call stands as a statement of its own.
bool stands_alone(const clang::CallExpr& call, const Ancestors& ancestors) {
  if (ancestors.empty()) return false;
  const clang::Stmt* parent = ancestors.back();
  if (llvm::isa<clang::CompoundStmt>(parent)) return true;
  if (const auto* branch = llvm::dyn_cast<clang::IfStmt>(parent))
    return branch->getThen() == &call || branch->getElse() == &call;
  if (const auto* loop = llvm::dyn_cast<clang::ForStmt>(parent)) return loop->getBody() == &call;
  if (const auto* loop = llvm::dyn_cast<clang::WhileStmt>(parent)) return loop->getBody() == &call;
  return false;
}

class Finder {
 public:
  explicit Finder(const KernelView& kernel) : kernel_(kernel), uniform_(kernel, kernel.body()) {}

  std::variant<std::vector<AtomicTarget>, Refusal> find() {
    walk(kernel_.body(), [&](const clang::Stmt& node, const Ancestors& ancestors) {
      if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&node)) take(*call, ancestors);
      return true;
    });
    std::set<const clang::ParmVarDecl*> shared;
    for (const AtomicTarget& target : targets_)
      if (!is_whole(target)) shared.insert(target.parameter);
    std::erase_if(targets_,
                  [&](const AtomicTarget& target) { return shared.contains(target.parameter); });
    if (targets_.empty())
      return Refusal{
          "there is no array of numbers that atomic operations of one kind, whose results are not "
          "used, have to themselves"};
    return std::move(targets_);
  }

 private:
  void take(const clang::CallExpr& call, const Ancestors& ancestors) {
    const clang::FunctionDecl* callee = call.getDirectCallee();
    if (callee == nullptr || call.getNumArgs() != 2 || !combines(callee->getNameAsString()) ||
        !is_in_system_header(*callee) || !stands_alone(call, ancestors))
      return;
    const clang::VarDecl* base = pointer_of(*call.getArg(0));
    if (base == nullptr || !base->getType()->isPointerType()) return;
    auto target = std::ranges::find(targets_, base, &AtomicTarget::base);
    if (target == targets_.end()) {
      const auto made = begin_target(*base, callee->getNameAsString());
      if (!made) return;
      target = targets_.insert(targets_.end(), *made);
    }
    if (target->operation == callee->getNameAsString())
      target->atomics.push_back({&call, call.getArg(0), call.getArg(1)});
  }

  std::optional<AtomicTarget> begin_target(const clang::VarDecl& base,
                                           const std::string& operation) const {
    const clang::ASTContext& context = kernel_.unit.context();
    const clang::QualType type = base.getType()->getPointeeType().getCanonicalType();
    // Sums of floating-point numbers come out by the order in which they are taken, which the
    // original leaves open, too. Their smallest values depend on how NaN compares.
    const bool sums = type->isSpecificBuiltinType(clang::BuiltinType::Float) ||
                      type->isSpecificBuiltinType(clang::BuiltinType::Double);
    if (!(type->isIntegerType() || (sums && operation == "atomicAdd")) || type->isEnumeralType() ||
        type.hasQualifiers() || context.getTypeSize(type) < 32 || may_change(kernel_.body(), base))
      return std::nullopt;
    AtomicTarget target;
    target.base = &base;
    target.operation = operation;
    target.type = type.getAsString(context.getPrintingPolicy());
    target.identity = identity_of(operation, target.type, type->isSignedIntegerType());
    target.bytes = context.getTypeSize(type) / 8;
    target.parameter = llvm::dyn_cast<clang::ParmVarDecl>(&base);
    if (target.parameter != nullptr) return target;
    if (!base.isLocalVarDecl() || base.isStaticLocal() || !base.hasInit() ||
        !uniform_.is_uniform(*base.getInit()) || !memory_reads(*base.getInit()).empty())
      return std::nullopt;
    // Where it is written again, before the kernel's text, there is nothing but parameters.
    target.begin = base.getInit();
    for (const clang::VarDecl* used : variables_in(*target.begin))
      if (!llvm::isa<clang::ParmVarDecl>(used) || may_change(kernel_.body(), *used))
        return std::nullopt;
    target.parameter = llvm::dyn_cast_or_null<clang::ParmVarDecl>(pointer_of(*target.begin));
    if (target.parameter == nullptr || kernel_.source.text(*target.begin).empty())
      return std::nullopt;
    return target;
  }

  /// Whether nothing but such operations of this kind reach the parameter's array.
  bool is_whole(const AtomicTarget& target) const {
    std::set<const clang::Stmt*> ways;
    for (const AtomicTarget& other : targets_) {
      if (other.parameter != target.parameter) continue;
      if (other.operation != target.operation) return false;
      if (other.begin != nullptr) ways.insert(pointer_in(*other.begin));
      for (const BlindAtomic& atomic : other.atomics) ways.insert(pointer_in(*atomic.address));
    }
    bool whole = true;
    walk(kernel_.body(), [&](const clang::Stmt& node, const Ancestors&) {
      const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&node);
      if (reference != nullptr &&
          (reference->getDecl() == target.base || reference->getDecl() == target.parameter))
        whole = whole && ways.contains(reference);
      return whole;
    });
    return whole;
  }

  const KernelView& kernel_;
  UniformValues uniform_;
  std::vector<AtomicTarget> targets_;
};

}  // namespace

std::variant<std::vector<AtomicTarget>, Refusal> atomic_targets(const KernelView& kernel) {
  return Finder(kernel).find();
}

}  // namespace geak::clang_tool::transforms
