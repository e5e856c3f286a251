#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>

#include "clang-tool/transforms/item_copies.h"
#include "clang-tool/transforms/memory_effects.h"
#include "clang-tool/transforms/no_overlap.h"
#include "clang-tool/transforms/readable_range.h"
#include "clang-tool/transforms/rounding_place.h"
#include "clang-tool/transforms/shared_loop.h"

namespace geak::clang_tool::transforms {
namespace {

constexpr std::int64_t fewest_rounds = 16;

bool leaves_or_skips(const clang::Stmt& statement) {
  return holds_any<clang::ContinueStmt, clang::BreakStmt, clang::ReturnStmt, clang::GotoStmt>(
      statement);
}

/// Statements of a block and of the blocks in it that are no statement's own.
void flatten(const clang::Stmt& block, std::vector<const clang::Stmt*>& statements) {
  for (const clang::Stmt* statement : statements_of(block))
    if (llvm::isa<clang::CompoundStmt>(statement))
      flatten(*statement, statements);
    else
      statements.push_back(statement);
}

/// Outside of what it reads: a sum may overflow and a division fail in rounds that leave it out.
bool has_integer_arithmetic(const clang::Expr& value) {
  const auto reads = memory_reads(value);
  bool found = false;
  walk(value, [&](const clang::Stmt& node, const Ancestors&) {
    const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(&node);
    found = found || (binary != nullptr && !binary->getType()->isRealFloatingType());
    return !found && std::ranges::find(reads, &node) == reads.end();
  });
  return found;
}

class Reader {
 public:
  Reader(const KernelView& kernel, const CountedLoop& loop, bool values, Draft& draft)
      : kernel_(kernel),
        values_(values),
        context_(kernel.unit.context()),
        loop_(loop),
        body_(*loop.statement->getBody()),
        uniform_(kernel, *loop.statement),
        draft_(draft),
        readable_(kernel, loop, draft) {
    flatten(body_, statements_);
  }

  std::optional<SharedLoop> read() {
    SharedLoop found{loop_, {}, 0, {}, {}, uniform_end()};
    find_uniform_locals(found);
    stored_ = stored_parameters(kernel_, body_);
    if (!stored_) return std::nullopt;
    if (values_) add_values(found);
    found.values = found.reads.size();
    for (const clang::Expr* place : memory_reads(body_)) add(*place, found);
    if (found.reads.empty()) return std::nullopt;
    found.match = match();
    if (found.match && !all_are_read(*found.match, found)) found.match.reset();
    readable_.require(draft_);
    return found;
  }

 private:
  bool uniform_end() const {
    return uniform_.is_uniform(*loop_.end) && memory_reads(*loop_.end).empty() &&
           !changes(*loop_.end);
  }

  bool changes(const clang::Expr& expression) const {
    return std::ranges::any_of(variables_in(expression), [&](const clang::VarDecl* variable) {
      return may_change(body_, *variable);
    });
  }

  /// Declarations at the head of the body whose values are the same for all work-items.
  void find_uniform_locals(SharedLoop& found) {
    shared_.push_back(loop_.variable);
    std::set<std::string> names;
    for (const clang::Stmt* statement : statements_) {
      const auto* declaration = llvm::dyn_cast<clang::DeclStmt>(statement);
      if (declaration == nullptr || !declaration->isSingleDecl()) continue;
      const auto* variable = llvm::dyn_cast<clang::VarDecl>(declaration->getSingleDecl());
      if (variable == nullptr || !variable->hasInit() || variable->getType()->isReferenceType() ||
          variable->isStaticLocal() || may_change(body_, *variable) ||
          !(variable->getType()->isPointerType() || variable->getType()->isIntegerType()) ||
          !memory_reads(*variable->getInit()).empty() ||
          !uniform_.is_uniform(*variable->getInit(), shared_) ||
          !kernel_.source.range(*statement) || !names.insert(variable->getNameAsString()).second)
        continue;
      shared_.push_back(variable);
      found.address_parts.push_back(declaration);
    }
  }

  bool depends_on_round(const clang::Expr& expression) const {
    return std::ranges::any_of(variables_in(expression), [&](const clang::VarDecl* variable) {
      return std::ranges::find(shared_, variable) != shared_.end();
    });
  }

  /// Values that work-items would compute alike, the largest expressions that are such.
  void add_values(SharedLoop& found) {
    walk(body_, [&](const clang::Stmt& node, const Ancestors&) {
      const auto* value = llvm::dyn_cast<clang::Expr>(&node);
      if (value == nullptr || !is_shared_value(*value)) return true;
      const auto reads = memory_reads(*value);
      if (!std::ranges::all_of(reads, [&](const clang::Expr* read) {
            return is_apart(*read) && may_be_read(*read);
          }))
        return true;
      within_values_.insert(reads.begin(), reads.end());
      keep({kernel_.source.text(*value),
            variables_in(*value),
            value->getType().getCanonicalType().getUnqualifiedType(),
            {value}},
           found);
      return false;
    });
  }

  /// A number that is worked out of what a round reads, and that no more can be worked into: what
  /// ends in a product may be rounded together with the sum that it is added to.
  bool is_shared_value(const clang::Expr& value) const {
    if (!value.isPRValue() || !value.getType()->isRealFloatingType() ||
        llvm::isa<clang::ImplicitCastExpr>(&value) || kernel_.source.text(value).empty() ||
        !uniform_.is_uniform(value, shared_))
      return false;
    const auto reads = memory_reads(value);
    return !reads.empty() &&
           std::ranges::all_of(reads,
                               [&](const clang::Expr* read) {
                                 const clang::QualType type = read->getType();
                                 return type->isArithmeticType() && !type.isVolatileQualified() &&
                                        root_variable(*read) == nullptr &&
                                        memory_reads(*read).size() == 1 && depends_on_round(*read);
                               }) &&
           !has_integer_arithmetic(value) && !meets_a_sum(value, kernel_.body());
  }

  static void keep(SharedRead read, SharedLoop& found) {
    for (SharedRead& known : found.reads)
      if (known.text == read.text && known.uses == read.uses) {
        known.places.push_back(read.places.front());
        return;
      }
    found.reads.push_back(std::move(read));
  }

  void add(const clang::Expr& place, SharedLoop& found) {
    if (within_values_.contains(&place)) return;
    const clang::QualType type = place.getType().getCanonicalType().getUnqualifiedType();
    if (!type->isArithmeticType() || place.getType().isVolatileQualified() ||
        root_variable(place) != nullptr || !is_loaded(place))
      return;
    const std::string text = kernel_.source.text(place);
    if (text.empty() || !uniform_.is_uniform(place, shared_) || !depends_on_round(place)) return;
    // An index read from memory would have to be known not to change, too.
    if (memory_reads(place).size() != 1) return;
    const auto uses = variables_in(place);
    for (SharedRead& known : found.reads)
      if (known.text == text && known.uses == uses) {
        known.places.push_back(&place);
        return;
      }
    if (!is_apart(place) || !may_be_read(place)) return;
    found.reads.push_back({text, uses, type, {&place}});
  }

  bool is_loaded(const clang::Expr& place) const {
    bool loaded = false;
    walk(body_, [&](const clang::Stmt& node, const Ancestors& ancestors) {
      if (&node != &place) return true;
      for (auto it = ancestors.rbegin(); it != ancestors.rend(); ++it) {
        if (llvm::isa<clang::ParenExpr>(*it)) continue;
        const auto* cast = llvm::dyn_cast<clang::ImplicitCastExpr>(*it);
        loaded = cast != nullptr && cast->getCastKind() == clang::CK_LValueToRValue;
        break;
      }
      return false;
    });
    return loaded;
  }

  /// The loop's stores do not reach what is read ahead of them.
  bool is_apart(const clang::Expr& place) {
    const clang::Expr* pointer = accessed_pointer(place);
    const auto origin =
        pointer == nullptr ? std::nullopt : pointer_origin(kernel_, *pointer, *loop_.statement);
    if (!origin || stored_->contains(origin->parameter)) return false;
    for (const clang::ParmVarDecl* target : *stored_)
      require_apart(*origin->parameter, *target, draft_);
    return true;
  }

  /// Every round makes the read, in a loop that no round leaves; or the host knows how far it goes.
  bool may_be_read(const clang::Expr& place) {
    if (!loop_.leaves && loop_.also == nullptr && is_made_in_every_round(place)) return true;
    return readable_.add(place);
  }

  bool is_made_in_every_round(const clang::Expr& place) const {
    bool every = true;
    for (const clang::Stmt* statement : statements_) {
      bool here = false;
      walk(*statement, [&](const clang::Stmt& node, const Ancestors& ancestors) {
        if (&node != &place) return true;
        here = true;
        Ancestors path = ancestors;
        path.push_back(&node);
        for (std::size_t i = 0; i + 1 < path.size(); ++i) {
          const auto* branch = llvm::dyn_cast<clang::IfStmt>(path[i]);
          const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(path[i]);
          const auto* choice = llvm::dyn_cast<clang::AbstractConditionalOperator>(path[i]);
          if (branch != nullptr && path[i + 1] != branch->getCond()) every = false;
          if (choice != nullptr && path[i + 1] != choice->getCond()) every = false;
          if (binary != nullptr && binary->isLogicalOp() && path[i + 1] == binary->getRHS())
            every = false;
          if (llvm::isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt, clang::SwitchStmt,
                        clang::CXXForRangeStmt, clang::LambdaExpr>(path[i]))
            every = false;
        }
        return false;
      });
      if (here) return every;
      if (leaves_or_skips(*statement)) return false;
    }
    return false;
  }

  void conjunction(const clang::Expr& condition, std::vector<const clang::Expr*>& parts) const {
    const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(condition.IgnoreParenImpCasts());
    if (binary != nullptr && binary->getOpcode() == clang::BO_LAnd) {
      conjunction(*binary->getLHS(), parts);
      conjunction(*binary->getRHS(), parts);
    } else {
      parts.push_back(&condition);
    }
  }

  /// Nothing happens in a round unless all of the equalities hold.
  std::optional<Match> match() const {
    std::optional<Match> found;
    for (const clang::Stmt* statement : statements_) {
      const auto* branch = llvm::dyn_cast<clang::IfStmt>(statement);
      if (branch == nullptr) {
        if (!is_quiet(*statement)) return std::nullopt;
        continue;
      }
      if (branch->getElse() != nullptr || branch->getInit() != nullptr || branch->hasVarStorage() ||
          !is_pure(*branch->getCond(), context_))
        return std::nullopt;
      const auto inner = statements_of(*branch->getThen());
      if (inner.size() == 1 && llvm::isa<clang::ContinueStmt>(inner[0])) continue;
      if (found) return std::nullopt;
      found = equalities(*branch->getCond());
      if (!found) return std::nullopt;
    }
    return found;
  }

  static bool all_are_read(const Match& match, const SharedLoop& found) {
    for (const clang::Expr* shared : match.shared)
      for (const clang::Expr* place : memory_reads(*shared))
        if (std::ranges::none_of(found.reads, [&](const SharedRead& read) {
              return std::ranges::find(read.places, place) != read.places.end();
            }))
          return false;
    return true;
  }

  bool is_quiet(const clang::Stmt& statement) const {
    if (llvm::isa<clang::NullStmt>(&statement)) return true;
    if (llvm::isa<clang::DeclStmt>(&statement)) return is_pure(statement, context_);
    const auto* expression = llvm::dyn_cast<clang::Expr>(&statement);
    return expression != nullptr && is_pure(*expression, context_);
  }

  std::optional<Match> equalities(const clang::Expr& condition) const {
    std::vector<const clang::Expr*> parts;
    conjunction(condition, parts);
    Match match;
    for (const clang::Expr* part : parts) {
      const auto* equal = llvm::dyn_cast<clang::BinaryOperator>(part->IgnoreParenImpCasts());
      if (equal == nullptr || equal->getOpcode() != clang::BO_EQ) continue;
      const clang::Expr* left = equal->getLHS()->IgnoreParenImpCasts();
      const clang::Expr* right = equal->getRHS()->IgnoreParenImpCasts();
      if (as_own(*left)) std::swap(left, right);
      if (!as_own(*right) || !uniform_.is_uniform(*left, shared_) || !depends_on_round(*left))
        continue;
      // Equal after conversions that could make unequal bits equal would escape a digest.
      const clang::QualType a = left->getType().getCanonicalType().getUnqualifiedType();
      const clang::QualType b = right->getType().getCanonicalType().getUnqualifiedType();
      if (a != b || !a->isIntegerType() || a->isBooleanType()) continue;
      match.shared.push_back(left);
      match.own.push_back(right);
    }
    if (match.shared.size() < 2) return std::nullopt;
    return match;
  }

  /// A variable of the work-item that the loop does not change.
  bool as_own(const clang::Expr& expression) const {
    const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&expression);
    const auto* variable =
        reference == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
    if (variable == nullptr || variable == loop_.variable ||
        std::ranges::find(shared_, variable) != shared_.end())
      return false;
    const auto at = kernel_.source.offset(variable->getLocation());
    const auto body = kernel_.source.range(body_);
    return at && body && (*at < body->begin || *at >= body->end) && !may_change(body_, *variable);
  }

  const KernelView& kernel_;
  bool values_;
  const clang::ASTContext& context_;
  const CountedLoop& loop_;
  const clang::Stmt& body_;
  std::vector<const clang::Stmt*> statements_;
  UniformValues uniform_;
  Draft& draft_;
  ReadableRange readable_;
  std::vector<const clang::VarDecl*> shared_;  ///< of a round, the same for all work-items
  std::set<const clang::Expr*> within_values_;
  std::optional<std::set<const clang::ParmVarDecl*>> stored_;
};

}  // namespace

std::optional<SharedLoop> as_shared_loop(const KernelView& kernel, const clang::Stmt& statement,
                                         bool values, Draft& draft) {
  const clang::ASTContext& context = kernel.unit.context();
  const auto loop = as_bounded_loop(statement, context);
  if (!loop || loop->step != 1 || loop->end_included ||
      (loop->trips && *loop->trips < fewest_rounds) || !is_pure(*loop->end, context) ||
      (loop->also != nullptr && !is_pure(*loop->also, context)) ||
      !LoopText(kernel, *loop).room_for(1))
    return std::nullopt;
  const UniformValues uniform(kernel, statement);
  if (!uniform.is_uniform(*loop->begin) || !memory_reads(*loop->begin).empty()) return std::nullopt;
  Draft with = draft;
  auto found = Reader(kernel, *loop, values, with).read();
  if (found) draft = std::move(with);
  return found;
}

}  // namespace geak::clang_tool::transforms
