#include "clang-tool/transforms/ahead_reads.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>

#include "clang-tool/system_header.h"
#include "clang-tool/transforms/item_copies.h"
#include "clang-tool/transforms/loop_text.h"
#include "clang-tool/transforms/memory_accesses.h"
#include "clang-tool/transforms/memory_effects.h"
#include "clang-tool/transforms/no_overlap.h"
#include "clang-tool/transforms/uniform_values.h"

namespace geak::clang_tool::transforms {
namespace {

/// Whether the node at the end of the path is evaluated whenever the path's first one is.
bool is_always_evaluated(const Ancestors& path, const clang::Expr& last) {
  for (std::size_t i = 0; i < path.size(); ++i) {
    const clang::Stmt* next = i + 1 < path.size() ? path[i + 1] : &last;
    if (const auto* branch = llvm::dyn_cast<clang::IfStmt>(path[i])) {
      if (branch->getCond() != next || branch->hasVarStorage()) return false;
    } else if (const auto* choice = llvm::dyn_cast<clang::ConditionalOperator>(path[i])) {
      if (choice->getCond() != next) return false;
    } else if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(path[i])) {
      if (binary->isLogicalOp() && binary->getLHS() != next) return false;
    } else if (llvm::isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt, clang::SwitchStmt,
                         clang::CXXForRangeStmt, clang::BinaryConditionalOperator,
                         clang::UnaryExprOrTypeTraitExpr>(path[i])) {
      return false;
    }
  }
  return true;
}

/// `points[k].x`; not `halves[k].operator float()`.
bool is_part(const clang::Stmt& node) {
  const auto* member = llvm::dyn_cast<clang::MemberExpr>(&node);
  return llvm::isa<clang::ParenExpr>(&node) ||
         (member != nullptr && !llvm::isa<clang::CXXMethodDecl>(member->getMemberDecl()));
}

/// HIP's halves, bfloat16 and vectors: a copy is as good as the element. The vectors have functions
/// of their own that copy.
bool is_plain_class(clang::QualType type, const clang::ASTContext& context) {
  const clang::CXXRecordDecl* record = type->getAsCXXRecordDecl();
  constexpr unsigned widest = 128;
  return record != nullptr && record->hasDefinition() && is_in_system_header(*record) &&
         record->hasDefaultConstructor() && context.getTypeSize(type) <= widest &&
         (type.isTriviallyCopyableType(context) || record->getName() == "HIP_vector_type");
}

/// The value of a number, or of a class that stands for some.
bool is_read(const clang::Expr& place, const Ancestors& path, const clang::ASTContext& context) {
  if (path.empty()) return false;
  const auto* load = llvm::dyn_cast<clang::ImplicitCastExpr>(path.back());
  if (place.getType()->isArithmeticType())
    return load != nullptr && load->getCastKind() == clang::CK_LValueToRValue;
  return is_plain_class(place.getType(), context) && only_reads(place, path);
}

/// Statements that cannot stand twice, or whose order must stay.
bool can_be_doubled(const clang::Stmt& body) {
  bool possible = true;
  walk(body, [&](const clang::Stmt& node, const Ancestors&) {
    if (llvm::isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt, clang::CXXForRangeStmt,
                  clang::LabelStmt, clang::LambdaExpr, clang::AsmStmt, clang::AtomicExpr>(&node))
      possible = false;
    if (const auto* declaration = llvm::dyn_cast<clang::DeclStmt>(&node))
      for (const clang::Decl* declared : declaration->decls()) {
        const auto* variable = llvm::dyn_cast<clang::VarDecl>(declared);
        if (variable == nullptr || !variable->hasLocalStorage()) possible = false;
      }
    if (const auto* expression = llvm::dyn_cast<clang::Expr>(&node)) {
      if (as_launch_index(*expression)) return false;
      if (expression->getType().isVolatileQualified()) possible = false;
    }
    return possible;
  });
  return possible;
}

}  // namespace

AheadReads::AheadReads(const KernelView& kernel, const CountedLoop& loop, Draft& draft)
    : kernel_(kernel), loop_(loop), body_(*loop.statement->getBody()), draft_(draft) {}

std::optional<Refusal> AheadReads::find() {
  if (auto reason = obstacle()) return Refusal{*reason};
  std::optional<unsigned> continues;
  std::vector<std::pair<const clang::Expr*, Ancestors>> reads;
  const auto accesses = memory_reads(body_);
  walk(body_, [&](const clang::Stmt& node, const Ancestors& ancestors) {
    const auto at = kernel_.source.range(node);
    if (llvm::isa<clang::ContinueStmt>(&node) && at)
      continues = std::min(at->begin, continues.value_or(at->begin));
    const auto* access = llvm::dyn_cast<clang::Expr>(&node);
    if (access == nullptr || std::ranges::find(accesses, access) == accesses.end()) return true;
    // `points[k].x` reads a member of what is reached.
    Ancestors path = ancestors;
    while (!path.empty() && is_part(*path.back())) {
      access = llvm::cast<clang::Expr>(path.back());
      path.pop_back();
    }
    reads.emplace_back(access, path);
    return true;
  });
  const auto end_of = [&](const clang::Expr* place) {
    const auto range = kernel_.source.range(*place);
    return range ? range->end : 0;
  };
  std::ranges::sort(reads, {}, [&](const auto& read) { return end_of(read.first); });
  for (const auto& [place, path] : reads) {
    const auto range = kernel_.source.range(*place);
    if (!range || (continues && range->begin > *continues)) continue;
    const Draft before = draft_;
    const auto needed = needed_;
    if (may_read_ahead(*place, path)) {
      places_.push_back(place);
    } else {
      draft_ = before;
      needed_ = needed;
    }
  }
  if (places_.empty())
    return Refusal{"every read depends on what earlier rounds did, or a store may reach it"};
  std::ranges::sort(needed_, {}, [&](const clang::DeclStmt* declaration) {
    return kernel_.source.range(*declaration)->begin;
  });
  return std::nullopt;
}

std::optional<std::string> AheadReads::obstacle() const {
  if (loop_.leaves) return "the loop may be left from within";
  if (meets_others(body_)) return "work-items wait for each other in the loop";
  if (!can_be_doubled(body_)) return "the loop's body cannot stand twice";
  const clang::Expr& end = *loop_.end;
  bool fixed = is_pure(end, kernel_.unit.context()) && memory_reads(end).empty();
  for (const clang::VarDecl* variable : variables_in(end))
    fixed = fixed && is_unchanged(*variable) && !is_inside(*variable);
  if (!fixed) return "the loop's end may change from round to round";
  if (!stored_parameters(kernel_, body_)) return "what the loop stores to is not plain";
  return std::nullopt;
}

bool AheadReads::is_unchanged(const clang::VarDecl& variable) const {
  if (!variable.isLocalVarDeclOrParm() && !variable.getType().isConstQualified() &&
      !variable.hasAttr<clang::CUDASharedAttr>())
    return false;
  return &variable != loop_.variable && !may_change(body_, variable);
}

bool AheadReads::is_inside(const clang::VarDecl& variable) const {
  const auto at = kernel_.source.offset(variable.getLocation());
  const auto body = kernel_.source.range(body_);
  return !at || !body || (*at >= body->begin && *at < body->end);
}

/// Whether the value is the same in every round.
bool AheadReads::is_fixed(const clang::Expr& expression) const {
  return is_pure(expression, kernel_.unit.context()) && memory_reads(expression).empty() &&
         std::ranges::all_of(variables_in(expression), [&](const clang::VarDecl* variable) {
           if (!is_inside(*variable)) return is_unchanged(*variable);
           return variable->hasInit() && !variable->getType()->isReferenceType() &&
                  !may_change(body_, *variable) && is_fixed(*variable->getInit());
         });
}

/// `pointer[index]` with the variable for its index, or the variable plus what is the same in every
/// round: no two rounds have the same element.
const clang::ArraySubscriptExpr* AheadReads::as_element_of_round(const clang::Expr& place) const {
  const auto* element = llvm::dyn_cast<clang::ArraySubscriptExpr>(place.IgnoreParens());
  if (element == nullptr || as_variable(*element->getBase()) == nullptr ||
      !is_fixed(*element->getBase()))
    return nullptr;
  const clang::Expr& index = stripped(*element->getIdx());
  if (as_variable(index) == loop_.variable) return element;
  const auto* sum = llvm::dyn_cast<clang::BinaryOperator>(&index);
  if (sum == nullptr || sum->getOpcode() != clang::BO_Add) return nullptr;
  const bool left = as_variable(*sum->getLHS()) == loop_.variable;
  const bool right = as_variable(*sum->getRHS()) == loop_.variable;
  const bool one = left != right && is_fixed(left ? *sum->getRHS() : *sum->getLHS());
  return one ? element : nullptr;
}

bool AheadReads::follows_from_round(const clang::Expr& expression) {
  if (!is_pure(expression, kernel_.unit.context())) return false;
  const auto inner = memory_reads(expression);
  for (const clang::Expr* read : inner) {
    const auto known = std::ranges::any_of(places_, [&](const clang::Expr* place) {
      bool holds = false;
      walk(*place, [&](const clang::Stmt& node, const Ancestors&) {
        holds = holds || &node == read;
        return !holds;
      });
      return holds;
    });
    if (!known && root_variable(*read) == nullptr) return false;
  }
  return std::ranges::all_of(variables_in(expression), [&](const clang::VarDecl* variable) {
    if (variable == loop_.variable) return true;
    return is_inside(*variable) ? follows_from_round(*variable) : is_unchanged(*variable);
  });
}

bool AheadReads::follows_from_round(const clang::VarDecl& local) {
  if (!local.hasInit() || !local.getType()->isScalarType() || may_change(body_, local))
    return false;
  const clang::DeclStmt* declaration = nullptr;
  for (const clang::Stmt* statement : statements_of(body_))
    if (const auto* found = llvm::dyn_cast<clang::DeclStmt>(statement))
      if (found->isSingleDecl() && found->getSingleDecl() == &local) declaration = found;
  if (declaration == nullptr) return false;
  if (std::ranges::find(needed_, declaration) != needed_.end()) return true;
  if (!kernel_.source.statement_range(*declaration)) return false;
  needed_.push_back(declaration);
  return follows_from_round(*local.getInit());
}

bool AheadReads::may_read_ahead(const clang::Expr& place, const Ancestors& ancestors) {
  if (!is_read(place, ancestors, kernel_.unit.context()) || !is_always_evaluated(ancestors, place))
    return false;
  if (!stores_keep_off(place)) return false;
  // The place itself reads what its address is made of, and is not yet known.
  bool follows = true;
  walk(place, [&](const clang::Stmt& node, const Ancestors&) {
    if (const auto* element = llvm::dyn_cast<clang::ArraySubscriptExpr>(&node)) {
      follows = follows && follows_from_round(*element->getBase()) &&
                follows_from_round(*element->getIdx());
      return false;
    }
    if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&node); member && member->isArrow())
      follows = follows && follows_from_round(*member->getBase());
    if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(&node))
      follows = follows && follows_from_round(*unary->getSubExpr());
    return follows;
  });
  return follows;
}

bool AheadReads::stores_keep_off(const clang::Expr& place) {
  const clang::Expr* pointer = accessed_pointer(place);
  if (pointer == nullptr) return false;
  const auto origin = pointer_origin(kernel_, *pointer, *pointer);
  if (!origin) return false;
  const auto stored = stored_parameters(kernel_, body_);
  if (!stored->contains(origin->parameter)) {
    for (const clang::ParmVarDecl* target : *stored)
      require_apart(*origin->parameter, *target, draft_);
    return true;
  }
  // Stores through the same parameter: each round may replace its own element, once it was read.
  const auto* element = as_element_of_round(place);
  const auto range = kernel_.source.range(place);
  if (element == nullptr || !range) return false;
  const std::string text = kernel_.source.text(*element);
  bool own = true;
  walk(body_, [&](const clang::Stmt& node, const Ancestors&) {
    const clang::Expr* target = nullptr;
    if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(&node))
      target = binary->isAssignmentOp() ? binary->getLHS() : nullptr;
    else if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(&node))
      target = unary->isIncrementDecrementOp() ? unary->getSubExpr() : nullptr;
    else if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&node))
      target = plain_assignment_target(*call);
    if (target == nullptr || root_variable(*target) != nullptr) return true;
    const clang::Expr* to = accessed_pointer(*target);
    const auto reached = to == nullptr ? std::nullopt : pointer_origin(kernel_, *to, *to);
    if (!reached || reached->parameter == origin->parameter) {
      const auto* replaced = as_element_of_round(*target);
      const auto whole = kernel_.source.range(node);
      own = own && replaced != nullptr && whole && range->end <= whole->end &&
            as_variable(*replaced->getBase()) == as_variable(*element->getBase()) &&
            kernel_.source.text(*replaced) == text;
    } else {
      require_apart(*origin->parameter, *reached->parameter, draft_);
    }
    return own;
  });
  return own;
}

}  // namespace geak::clang_tool::transforms
