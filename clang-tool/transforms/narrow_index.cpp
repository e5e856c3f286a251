// Addresses by offsets of 32 bits. An element `p[i]` costs 64-bit arithmetic for each work-item:
// the index is extended, shifted and added to the pointer in two halves. GPUs reach memory by a
// pointer that all work-items share and an offset of 32 bits, but the compiler may do so only where
// it knows that the offset in bytes has no more. Here the host tests that, and the kernel says it:
//
//   ((T*)((const char*)p + (unsigned)i * (unsigned)sizeof(T)))[0]
//
// Sums and products before that cast then need their lower halves alone, sizes of 64 bits included.
// What says that the offset fits:
//
// - ranges: the index is never negative, and the host works out its largest value (ValueLimits). A
//   constant is taken off first: `p[i - 1]` asks about i.
// - allocations: the pointer is where its allocation begins, which is less than 4 GiB, and nothing
//   lies 4 GiB further: memory that is mapped piece by piece shows one piece alone. Whatever the
//   kernel may access lies at an offset within that, so that this holds for every element that is
//   loaded or stored, whatever its index. An address that is taken and not used may be any: such
//   elements are left as they are.
//
// Changing the types of variables was not done: it would change arithmetic wherever they are used.
// Initial values of 64 bits that are known to fit are said to have 32, which is the same value.
#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/Stmt.h>

#include <algorithm>
#include <set>

#include "clang-tool/system_header.h"
#include "clang-tool/transforms/ast_queries.h"
#include "clang-tool/transforms/builtin_transforms.h"
#include "clang-tool/transforms/no_overlap.h"
#include "clang-tool/transforms/readable_range.h"
#include "clang-tool/transforms/value_limits.h"

namespace geak::clang_tool::transforms {
namespace {

using nlohmann::json;

constexpr const char* all_offsets = "4294967296.0";

struct Element {
  const clang::ArraySubscriptExpr* node;
  bool accessed;  ///< loaded or stored where it stands
};

/// A function of HIP's headers that reads and writes what its argument points to.
bool is_atomic(const clang::CallExpr& call) {
  const auto* callee = call.getDirectCallee();
  if (callee == nullptr || callee->getIdentifier() == nullptr) return false;
  return callee->getName().starts_with("atomic") && is_in_system_header(*callee);
}

/// Whether what stands in `ancestors` loads or stores the element; no: it may take its address.
bool is_accessed(const clang::Stmt& element, const Ancestors& ancestors) {
  const clang::Stmt* inner = &element;
  for (auto it = ancestors.rbegin(); it != ancestors.rend(); inner = *it++) {
    if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(*it)) {
      if (cast->getCastKind() == clang::CK_LValueToRValue) return true;
      if (cast->getCastKind() != clang::CK_NoOp) return false;
    } else if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(*it)) {
      if (member->isArrow()) return false;
    } else if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(*it)) {
      return binary->isAssignmentOp() && binary->getLHS() == inner;
    } else if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(*it)) {
      if (unary->isIncrementDecrementOp()) return true;
      const auto next = it + 1;
      const auto* call =
          next == ancestors.rend() ? nullptr : llvm::dyn_cast<clang::CallExpr>(*next);
      return unary->getOpcode() == clang::UO_AddrOf && call != nullptr && is_atomic(*call);
    } else if (const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(*it)) {
      return made->getConstructor()->isCopyOrMoveConstructor() &&
             made->getConstructor()->isDefaulted();
    } else if (const auto* call = llvm::dyn_cast<clang::CXXOperatorCallExpr>(*it)) {
      const auto* callee = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(call->getDirectCallee());
      return call->getOperator() == clang::OO_Equal && callee != nullptr && callee->isDefaulted();
    } else if (!llvm::isa<clang::ParenExpr>(*it)) {
      return false;
    }
  }
  return false;
}

/// Elements reached through what came from a pointer parameter, outermost first.
std::vector<Element> elements_of(const KernelView& kernel) {
  std::vector<Element> found;
  walk(kernel.body(), [&](const clang::Stmt& node, const Ancestors& ancestors) {
    if (llvm::isa<clang::LambdaExpr>(&node)) return false;
    const auto* element = llvm::dyn_cast<clang::ArraySubscriptExpr>(&node);
    if (element == nullptr || element->getLHS() != element->getBase()) return true;
    const clang::QualType type = element->getType();
    if (!element->getBase()->getType()->isPointerType() || type->isArrayType() ||
        type.isVolatileQualified() || type->isIncompleteType() ||
        constant_value(*element->getIdx(), kernel.unit.context()))
      return true;
    if (pointer_origin(kernel, *element->getBase(), *element))
      found.push_back({element, is_accessed(node, ancestors)});
    return true;
  });
  return found;
}

/// Locals of 64 bits that begin with what is worked out in 64 bits.
std::vector<const clang::Expr*> wide_values(const KernelView& kernel) {
  std::vector<const clang::Expr*> found;
  const clang::ASTContext& context = kernel.unit.context();
  walk(kernel.body(), [&](const clang::Stmt& node, const Ancestors& ancestors) {
    if (llvm::isa<clang::LambdaExpr>(&node)) return false;
    const auto* declaration = llvm::dyn_cast<clang::DeclStmt>(&node);
    if (declaration == nullptr ||
        (!ancestors.empty() && llvm::isa<clang::ForStmt>(ancestors.back())))
      return true;
    for (const clang::Decl* declared : declaration->decls()) {
      const auto* variable = llvm::dyn_cast<clang::VarDecl>(declared);
      if (variable == nullptr || !variable->hasInit() || !variable->hasLocalStorage() ||
          variable->isConstexpr() || !variable->getType()->isIntegerType() ||
          context.getTypeSize(variable->getType()) != 64)
        continue;
      const clang::Expr* value = variable->getInit()->IgnoreParenImpCasts();
      const bool computed = llvm::isa<clang::BinaryOperator>(value) &&
                            context.getTypeSize(value->getType()) == 64 &&
                            !constant_value(*value, context);
      if (computed) found.push_back(value);
    }
    return true;
  });
  return found;
}

class Narrower {
 public:
  Narrower(const KernelView& kernel, Draft& draft)
      : kernel_(kernel), draft_(draft), limits_(kernel, draft) {}

  std::optional<Refusal> apply(bool by_allocations) {
    auto elements = elements_of(kernel_);
    const auto values = wide_values(kernel_);
    if (elements.empty() && values.empty())
      return Refusal{"no element of a pointer parameter has an index to narrow"};
    // What stands within an index comes first, so that the index's text has it.
    std::ranges::reverse(elements);
    for (const Element& element : elements)
      if (by_allocations)
        by_allocation(element);
      else
        by_range(element);
    for (const clang::Expr* value : values) narrow_value(*value);
    if (edits_.empty()) return Refusal{problem_};
    draft_.text = edits_.apply(kernel_.source.text(), kernel_.text);
    limits_.require(draft_);
    for (const std::string& guard : guards_) draft_.require(guard);
    return std::nullopt;
  }

 private:
  void narrow_value(const clang::Expr& value) {
    const auto range = kernel_.source.range(value);
    if (!range) return problem("a value stands within a macro");
    if (!limits_.at_most(value, 0xffffffff)) return problem("a value may need 64 bits");
    const std::string type = value.getType().getCanonicalType().getUnqualifiedType().getAsString(
        kernel_.unit.context().getPrintingPolicy());
    edits_.replace(*range, "(" + type + ")(unsigned)(" + text_of(value) + ")");
  }

  void by_range(const Element& element) {
    const clang::Expr* index = element.node->getIdx();
    const clang::BinaryOperator* sum = sum_with_constant(*index);
    if (sum != nullptr) index = sum->getLHS();
    const auto most = limits_.most(*index);
    if (!most) return problem("an index may be negative, or its largest value is not known");
    if (ValueLimits::is_boundless(*most)) return problem("an index may be any of 32 bits");
    const auto bytes = kernel_.unit.context().getTypeSizeInChars(element.node->getType());
    const std::string guard =
        "(" + *most + " + 1.0) * " + std::to_string(bytes.getQuantity()) + ".0 <= " + all_offsets;
    const std::string after =
        sum == nullptr ? "0" : sum->getOpcodeStr().str() + "(" + text_of(*sum->getRHS()) + ")";
    if (rewrite(*element.node, *index, after)) guards_.insert(guard);
  }

  /// `i + 1`, also widened: a signed sum, which does not wrap. As an unsigned number of 32 bits it
  /// might have, and a narrower type may not hold it.
  const clang::BinaryOperator* sum_with_constant(const clang::Expr& index) const {
    const clang::ASTContext& context = kernel_.unit.context();
    const clang::Expr* at = index.IgnoreParens();
    while (const auto* cast = llvm::dyn_cast<clang::CastExpr>(at)) {
      const bool keeps = cast->getCastKind() == clang::CK_NoOp;
      const auto bits = context.getTypeSize(cast->getType());
      if ((!keeps && cast->getCastKind() != clang::CK_IntegralCast) ||
          (cast->getType()->isUnsignedIntegerType() && bits < 64) ||
          bits < context.getTypeSize(cast->getSubExpr()->getType()))
        return nullptr;
      at = cast->getSubExpr()->IgnoreParens();
    }
    const auto* sum = llvm::dyn_cast<clang::BinaryOperator>(at);
    const bool fits = sum != nullptr && sum->isAdditiveOp() &&
                      sum->getType()->isSignedIntegerType() &&
                      constant_value(*sum->getRHS(), context);
    return fits ? sum : nullptr;
  }

  void by_allocation(const Element& element) {
    const clang::VarDecl* variable = as_variable(*element.node->getBase());
    const auto* parameter = llvm::dyn_cast_or_null<clang::ParmVarDecl>(variable);
    if (parameter == nullptr || may_change(kernel_.body(), *parameter))
      return problem("elements are not reached through a parameter that stays as it is");
    if (!element.accessed) return problem("the address of an element is taken");
    if (!rewrite(*element.node, *element.node->getIdx(), "0")) return;
    const std::string name = parameter->getNameAsString();
    const std::string before = "(const char*)(" + name + ") - 1";
    const std::string beyond = "(const char*)(" + name + ") + 4294967296ll";
    guards_.insert(readable(name, "1.0") + " && !" + readable(name, all_offsets) + " && !" +
                   readable(beyond, "1.0") + " && (!" + readable(before, "1.0") + " || " +
                   different_allocations(name, before) + ")");
  }

  /// `after`: elements from there, added last, since a pointer before an array's begin is none.
  bool rewrite(const clang::ArraySubscriptExpr& element, const clang::Expr& index,
               const std::string& after) {
    const auto range = kernel_.source.range(element);
    const std::string base = text_of(*element.getBase()), offset = text_of(index);
    if (!range || base.empty() || offset.empty()) {
      problem("an element stands within a macro");
      return false;
    }
    edits_.replace(*range, "((decltype((" + base + ") + 0))((const char*)(" + base +
                               ") + (unsigned)(" + offset + ") * (unsigned)sizeof((" + base +
                               ")[0])))[" + after + "]");
    return true;
  }

  /// With what was changed in it.
  std::string text_of(const clang::Expr& expression) const {
    const auto range = kernel_.source.range(expression);
    return range ? edits_.apply(kernel_.source.text(), *range) : "";
  }

  void problem(const std::string& reason) {
    if (problem_.empty()) problem_ = reason;
  }

  const KernelView& kernel_;
  Draft& draft_;
  ValueLimits limits_;
  TextEdits edits_;
  std::set<std::string> guards_;
  std::string problem_;
};

class NarrowIndex final : public Transform {
 public:
  std::string name() const override { return "narrow_index"; }
  Axis axis() const override { return Axis::compute; }
  std::string summary() const override {
    return "reaches elements by offsets of 32 bits where the host finds that they fit";
  }

  /// {"allocations": true}: what says that they fit
  std::vector<json> parameters(const KernelView& kernel) const override {
    if (elements_of(kernel).empty() && wide_values(kernel).empty()) return {};
    return {{{"allocations", false}}, {{"allocations", true}}};
  }

  std::optional<Refusal> apply(const KernelView& kernel, const json& parameters,
                               Draft& draft) const override {
    return Narrower(kernel, draft).apply(parameters.value("allocations", false));
  }
};

}  // namespace

const Transform& narrow_index() {
  static const NarrowIndex transform;
  return transform;
}

}  // namespace geak::clang_tool::transforms
