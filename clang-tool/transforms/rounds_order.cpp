// Whether rounds that work-items share out may be shared out in another way.
#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>

#include "clang-tool/transforms/element_rounds.h"
#include "clang-tool/transforms/memory_accesses.h"
#include "clang-tool/transforms/no_overlap.h"
#include "clang-tool/transforms/side_by_side.h"
#include "clang-tool/transforms/ways_to_memory.h"

namespace geak::clang_tool::transforms {
namespace {

constexpr unsigned deepest = 16;

/// What is the same for all work-items of the spread.
class Sameness {
 public:
  Sameness(const KernelView& kernel, const ElementRounds& rounds)
      : kernel_(kernel), rounds_(rounds) {}

  bool holds(const clang::Expr& expression, unsigned depth = 0) const {
    if (depth > deepest) return false;
    bool same = true;
    walk(expression, [&](const clang::Stmt& node, const Ancestors&) {
      const auto* part = llvm::dyn_cast<clang::Expr>(&node);
      if (part == nullptr) same = false;
      if (!same) return false;
      if (const auto index = as_launch_index(*part)) {
        same = !tells_apart(*index);
        return false;
      }
      same = is_plain(*part);
      if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(part))
        if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl()))
          same = same && holds(*variable, depth + 1);
      return same;
    });
    return same;
  }

  bool holds(const clang::VarDecl& variable, unsigned depth = 0) const {
    if (variable.getType()->isReferenceType()) return false;
    if (const auto* parameter = llvm::dyn_cast<clang::ParmVarDecl>(&variable)) {
      if (!may_change(kernel_.body(), variable)) return true;
      const auto moved = offsets_added(kernel_, *parameter, place());
      return moved && std::ranges::all_of(*moved, [&](const clang::Expr* offset) {
               return holds(*offset, depth + 1);
             });
    }
    if (variable.hasAttr<clang::CUDASharedAttr>()) return true;
    if (!variable.isLocalVarDecl() || variable.isStaticLocal())
      return variable.getType().isConstQualified() || variable.hasAttr<clang::CUDAConstantAttr>();
    const clang::Expr* value = value_at_place(variable);
    return value != nullptr && holds(*value, depth + 1);
  }

 private:
  bool tells_apart(LaunchIndex index) const {
    if (index.axis != 0) return false;
    return index.value == LaunchValue::thread ||
           (index.value == LaunchValue::block && rounds_.spread == ElementRounds::Spread::grid);
  }

  static bool is_plain(const clang::Expr& part) {
    if (part.getType().isVolatileQualified()) return false;
    if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(&part))
      return !binary->isAssignmentOp();
    if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(&part))
      return !unary->isIncrementDecrementOp();
    if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&part)) return is_pure_call(*call);
    return !llvm::isa<clang::AtomicExpr, clang::LambdaExpr>(&part);
  }

  const clang::Stmt& place() const {
    return rounds_.loop ? static_cast<const clang::Stmt&>(*rounds_.loop->statement)
                        : static_cast<const clang::Stmt&>(*rounds_.number);
  }

  /// What the variable was set to last before the rounds, where that is plain.
  const clang::Expr* value_at_place(const clang::VarDecl& variable) const {
    if (!may_change(kernel_.body(), variable)) return variable.getInit();
    const auto at = kernel_.source.range(place());
    const clang::Expr* value = nullptr;
    for (const clang::Stmt* statement : kernel_.body().body()) {
      const auto range = kernel_.source.range(*statement);
      if (!range || !at) return nullptr;
      if (range->end > at->begin && may_change(*statement, variable)) {
        // Later changes do not matter, those around the rounds do.
        if (range->begin <= at->begin) return nullptr;
        break;
      }
      if (!may_change(*statement, variable)) continue;
      const auto* assignment = llvm::dyn_cast<clang::BinaryOperator>(statement);
      value = assignment != nullptr && assignment->getOpcode() == clang::BO_Assign &&
                      as_variable(*assignment->getLHS()) == &variable
                  ? assignment->getRHS()
                  : nullptr;
    }
    return value;
  }

  const KernelView& kernel_;
  const ElementRounds& rounds_;
};

bool is_barrier(const clang::Stmt& statement) {
  const auto* expression = llvm::dyn_cast<clang::Expr>(&statement);
  const auto* call = expression == nullptr
                         ? nullptr
                         : llvm::dyn_cast<clang::CallExpr>(expression->IgnoreImplicit());
  const clang::FunctionDecl* callee = call == nullptr ? nullptr : call->getDirectCallee();
  return callee != nullptr && callee->getIdentifier() != nullptr &&
         callee->getName() == "__syncthreads";
}

class Order {
 public:
  Order(const KernelView& kernel, const ElementRounds& rounds, Draft& draft)
      : kernel_(kernel), rounds_(rounds), draft_(draft) {}

  std::optional<Refusal> refusal() {
    std::string problem;
    for (const clang::Stmt* statement : rounds_.body) {
      if (auto refusal = look_at_variables(*statement)) return refusal;
      const auto accesses = memory_accesses(kernel_, *statement, problem);
      if (!accesses) return Refusal{"a round has " + problem};
      accesses_.insert(accesses_.end(), accesses->begin(), accesses->end());
    }
    if (std::ranges::none_of(accesses_, &MemoryAccess::written))
      return Refusal{"a round stores nothing"};
    if (auto way = other_way_to_memory(kernel_.function)) return Refusal{*way};
    if (auto refusal = look_at_stores()) return refusal;
    if (rounds_.end != nullptr && !stays_the_same(*rounds_.end))
      return Refusal{"the number of rounds is not the same for all work-items"};
    for (const clang::Expr* condition : rounds_.other_ways_out)
      if (!stays_the_same(*condition)) return Refusal{"single items may return"};
    return look_outside();
  }

 private:
  std::optional<Refusal> look_at_variables(const clang::Stmt& statement) const {
    const Sameness sameness(kernel_, rounds_);
    for (const clang::VarDecl* variable : variables_in(statement)) {
      if (variable == rounds_.variable || rounds_.is_own(kernel_, *variable)) continue;
      if (variable->hasAttr<clang::CUDASharedAttr>()) continue;  // memory
      const std::string name = variable->getNameAsString();
      if (may_change(statement, *variable))
        return Refusal{"rounds hand " + name + " on from one to the next"};
      if (!sameness.holds(*variable))
        return Refusal{name + " may differ between work-items, and a round uses it"};
    }
    const auto uses = launch_index_uses(statement);
    const bool knows = std::ranges::any_of(uses, [&](const LaunchIndexUse& use) {
      return use.index.axis == 0 && (use.index.value == LaunchValue::thread ||
                                     (use.index.value == LaunchValue::block &&
                                      rounds_.spread == ElementRounds::Spread::grid));
    });
    if (knows) return Refusal{"a round depends on the work-item that does it"};
    return std::nullopt;
  }

  /// What is stored lies at the round's own element, and is reached in no other way.
  std::optional<Refusal> look_at_stores() {
    const SideBySide elements(kernel_, rounds_);
    for (const MemoryAccess& store : accesses_) {
      if (!store.written) continue;
      const auto own = elements.element(store);
      if (!own) return Refusal{"a round stores elsewhere than to its own element of an array"};
      for (const MemoryAccess& other : accesses_) {
        if (other.root == store.root) {
          const auto same = elements.element(other);
          if (!same || same->key != own->key)
            return Refusal{"a round may reach what another one stores"};
          continue;
        }
        const auto* a = llvm::dyn_cast<clang::ParmVarDecl>(store.root);
        const auto* b = llvm::dyn_cast<clang::ParmVarDecl>(other.root);
        if (a != nullptr && b != nullptr) require_apart(*a, *b, draft_);
      }
    }
    return std::nullopt;
  }

  bool stays_the_same(const clang::Expr& end) const {
    if (!is_pure(end, kernel_.unit.context()) || !Sameness(kernel_, rounds_).holds(end))
      return false;
    bool reads_memory = false;
    walk(end, [&](const clang::Stmt& node, const Ancestors&) {
      const auto* member = llvm::dyn_cast<clang::MemberExpr>(&node);
      const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(&node);
      if (const auto* whole = llvm::dyn_cast<clang::Expr>(&node); whole && as_launch_index(*whole))
        return false;
      reads_memory = reads_memory || llvm::isa<clang::ArraySubscriptExpr>(&node) ||
                     (member != nullptr && member->isArrow()) ||
                     (unary != nullptr && unary->getOpcode() == clang::UO_Deref);
      return !reads_memory;
    });
    for (const clang::VarDecl* variable : variables_in(end)) {
      if (variable->hasAttr<clang::CUDASharedAttr>()) return false;
      // The bound of single items is looked at before their own variables are.
      if (rounds_.is_own(kernel_, *variable)) return false;
    }
    return !reads_memory;
  }

  /// Other statements of the kernel that touch what the rounds store, or store what they read, may
  /// count on the same work-item having done both: only a barrier lets go of that.
  std::optional<Refusal> look_outside() const {
    const clang::Stmt* place =
        rounds_.loop ? static_cast<const clang::Stmt*>(rounds_.loop->statement) : nullptr;
    const auto at = kernel_.source.range(rounds_.loop ? *place : *rounds_.body.front());
    bool open = false;    // a conflict stands before, with no barrier since
    bool passed = false;  // the rounds are behind, with no barrier since
    for (const clang::Stmt* statement : kernel_.body().body()) {
      const auto range = kernel_.source.range(*statement);
      if (!range || !at) return Refusal{"a statement comes out of a macro"};
      if (!rounds_.loop && range->end > rounds_.extent.begin) break;
      const bool holds_rounds = range->begin <= at->begin && at->end <= range->end;
      if (holds_rounds) {
        if (open || conflicts(*statement, place)) return in_the_way();
        passed = true;
      } else if (is_barrier(*statement)) {
        if (rounds_.spread == ElementRounds::Spread::workgroup) {
          open = false;
          if (passed) return std::nullopt;
        }
      } else if (conflicts(*statement, nullptr)) {
        if (passed) return in_the_way();
        open = true;
      }
    }
    if (open && !rounds_.loop) return in_the_way();
    return std::nullopt;
  }

  static std::optional<Refusal> in_the_way() {
    return Refusal{"what the rounds store or read is used elsewhere with no barrier between"};
  }

  bool conflicts(const clang::Stmt& statement, const clang::Stmt* apart_from) const {
    bool found = false;
    std::vector<const clang::Stmt*> parts;
    // The rounds' own loop is left out where it stands within branches.
    const std::function<void(const clang::Stmt&)> split = [&](const clang::Stmt& part) {
      if (&part == apart_from) return;
      const bool holds = apart_from != nullptr && contains(part, *apart_from);
      if (!holds) {
        parts.push_back(&part);
        return;
      }
      for (const clang::Stmt* child : part.children())
        if (child != nullptr) split(*child);
    };
    split(statement);
    for (const clang::Stmt* part : parts) {
      std::string problem;
      const auto others = memory_accesses(kernel_, *part, problem);
      if (!others) return true;
      for (const MemoryAccess& other : *others)
        for (const MemoryAccess& own : accesses_)
          found = found || (meet(other, own) && (other.written || own.written));
    }
    return found;
  }

  static bool contains(const clang::Stmt& whole, const clang::Stmt& part) {
    bool found = false;
    walk(whole, [&](const clang::Stmt& node, const Ancestors&) {
      found = found || &node == &part;
      return !found;
    });
    return found;
  }

  /// Arguments that may be the same memory: not those that the rounds' stores ask to be apart.
  bool meet(const MemoryAccess& other, const MemoryAccess& own) const {
    if (other.root == own.root) return true;
    if (other.lies_in_lds() || own.lies_in_lds()) return false;
    if (other.root->getType().isRestrictQualified() || own.root->getType().isRestrictQualified())
      return false;
    return std::ranges::none_of(accesses_, [&](const MemoryAccess& known) {
      return known.root == other.root && (known.written || own.written);
    });
  }

  const KernelView& kernel_;
  const ElementRounds& rounds_;
  Draft& draft_;
  std::vector<MemoryAccess> accesses_;
};

}  // namespace

bool is_same_for_all(const KernelView& kernel, const ElementRounds& rounds,
                     const clang::Expr& expression) {
  return Sameness(kernel, rounds).holds(expression);
}

std::optional<Refusal> tied_to_order(const KernelView& kernel, const ElementRounds& rounds,
                                     Draft& draft) {
  return Order(kernel, rounds, draft).refusal();
}

}  // namespace geak::clang_tool::transforms
