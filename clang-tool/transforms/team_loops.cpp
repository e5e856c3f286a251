#include "clang-tool/transforms/team_loops.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>

#include "clang-tool/transforms/no_overlap.h"
#include "clang-tool/transforms/side_by_side.h"
#include "clang-tool/transforms/uniform_values.h"
#include "clang-tool/transforms/ways_to_memory.h"

namespace geak::clang_tool::transforms {
namespace {

constexpr unsigned deepest = 16;

/// The loop's rounds as those that `SideBySide` knows.
ElementRounds as_rounds(const KernelView& kernel, const CountedLoop& loop) {
  ElementRounds rounds;
  rounds.variable = loop.variable;
  rounds.body = {loop.statement->getBody()};
  rounds.extent =
      kernel.source.statement_range(*loop.statement->getBody()).value_or(TextRange{0, 0});
  return rounds;
}

/// Whether an expression's value is the same wherever in the kernel it stands, the loop's variable
/// apart. What the round declares is followed.
bool is_fixed(const KernelView& kernel, const ElementRounds& rounds, const clang::Expr& expression,
              unsigned depth = 0) {
  if (depth > deepest) return false;
  return std::ranges::all_of(variables_in(expression), [&](const clang::VarDecl* variable) {
    if (variable == rounds.variable) return true;
    if (may_change(kernel.body(), *variable) || variable->getType()->isReferenceType())
      return false;
    return !rounds.is_own(kernel, *variable) ||
           (variable->hasInit() && is_fixed(kernel, rounds, *variable->getInit(), depth + 1));
  });
}

const clang::ParmVarDecl* parameter(const MemoryAccess& access) {
  return llvm::dyn_cast_or_null<clang::ParmVarDecl>(access.root);
}

}  // namespace

TeamLoops::TeamLoops(const KernelView& kernel, std::int64_t fewest_trips, std::string& problem)
    : kernel_(kernel), stored_(stored_parameters(kernel, kernel.body())) {
  if (!stored_) {
    problem = "what the kernel stores to is not plain";
    return;
  }
  if (const auto way = other_way_to_memory(kernel.function)) {
    problem = *way;
    return;
  }
  std::string why;
  auto all = memory_accesses(kernel, kernel.body(), why);
  if (!all) {
    problem = "the kernel has " + why;
    return;
  }
  all_ = std::move(*all);
  find_loops(fewest_trips, problem);
  while (drop_shared_elements())
    problem = "what a loop stores is used elsewhere, maybe by another work-item of the team";
}

void TeamLoops::find_loops(std::int64_t fewest_trips, std::string& problem) {
  walk(kernel_.body(), [&](const clang::Stmt& node, const Ancestors& ancestors) {
    if (!llvm::isa<clang::ForStmt>(node)) return !llvm::isa<clang::LambdaExpr>(node);
    // A pragma before the loop would be left without one.
    if (!ancestors.empty() && llvm::isa<clang::AttributedStmt>(ancestors.back())) return true;
    auto loop = as_team_loop(node, problem);
    if (!loop) return true;
    if (!loop->loop.trips || *loop->loop.trips >= fewest_trips)
      loops_.push_back(std::move(*loop));
    else
      problem = "the loops are short";
    return false;
  });
}

std::optional<TeamLoop> TeamLoops::as_team_loop(const clang::Stmt& statement,
                                                std::string& problem) const {
  const auto counted = as_counted_loop(statement, kernel_.unit.context());
  if (!counted || counted->leaves || !same_each_round(*counted)) return std::nullopt;
  auto gathered = accumulations(kernel_, *counted, problem);
  if (!gathered) return std::nullopt;
  std::string why;
  auto accesses = memory_accesses(kernel_, statement, why);
  if (!accesses) return std::nullopt;
  TeamLoop loop{*counted, std::move(*gathered), std::move(*accesses)};
  if (!own_elements(loop, problem)) return std::nullopt;
  const bool stores = std::ranges::any_of(loop.accesses, &MemoryAccess::written);
  return loop.gathered.empty() && !stores ? std::nullopt : std::optional(std::move(loop));
}

/// How many rounds there are does not depend on what they do.
bool TeamLoops::same_each_round(const CountedLoop& loop) const {
  const clang::ASTContext& context = kernel_.unit.context();
  const auto* compared =
      llvm::dyn_cast<clang::BinaryOperator>(&stripped(*loop.statement->getCond()));
  if (compared == nullptr || context.getTypeSize(loop.variable->getType()) < 32 ||
      context.getTypeSize(compared->getLHS()->getType()) <
          context.getTypeSize(loop.variable->getType()) ||
      !compared->getLHS()->getType()->isIntegerType())
    return false;
  return is_pure(*loop.begin, context) && is_pure(*loop.end, context) &&
         std::ranges::none_of(variables_in(*loop.end), [&](const clang::VarDecl* variable) {
           return variable == loop.variable || may_change(*loop.statement->getBody(), *variable);
         });
}

/// Of memory that the kernel stores to, a round touches an element of its own alone.
bool TeamLoops::own_elements(TeamLoop& loop, std::string& problem) const {
  const ElementRounds rounds = as_rounds(kernel_, loop.loop);
  const SideBySide elements(kernel_, rounds);
  std::vector<std::pair<const clang::ParmVarDecl*, std::string>> known;
  for (const MemoryAccess& access : loop.accesses) {
    const clang::ParmVarDecl* target = parameter(access);
    if (target == nullptr || !stored_->contains(target)) continue;
    const auto own = elements.element(access);
    if (!own || !is_fixed(kernel_, rounds, *access.place) ||
        !is_fixed(kernel_, rounds, *loop.loop.begin) || !memory_reads(*loop.loop.begin).empty()) {
      problem = "a round touches more of what the kernel stores than an element of its own";
      return false;
    }
    for (const auto& [other, key] : known)
      if (other == target && key != own->key) {
        problem = "a round may reach what another one stores";
        return false;
      }
    known.emplace_back(target, own->key);
    loop.own_elements.insert(target->getNameAsString() + ": " + own->key + " from " +
                             kernel_.source.text(*loop.loop.begin));
  }
  return true;
}

/// Drops loops that share what they store with other statements; whether it did.
bool TeamLoops::drop_shared_elements() {
  const auto shares = [&](const TeamLoop& loop) {
    return std::ranges::any_of(loop.accesses, [&](const MemoryAccess& access) {
      const clang::ParmVarDecl* target = parameter(access);
      return target != nullptr && stored_->contains(target) && !only_own(loop, *target);
    });
  };
  return std::erase_if(loops_, shares) > 0;
}

/// Whatever touches the target stands in loops that give the same element to the same work-item.
bool TeamLoops::only_own(const TeamLoop& loop, const clang::ParmVarDecl& target) const {
  const auto own = [&](const TeamLoop& one) {
    std::set<std::string> keys;
    for (const std::string& key : one.own_elements)
      if (llvm::StringRef(key).starts_with(target.getNameAsString() + ": ")) keys.insert(key);
    return keys;
  };
  return std::ranges::all_of(all_, [&](const MemoryAccess& access) {
    if (access.root != &target) return true;
    const auto at = kernel_.source.range(*access.place);
    return at && std::ranges::any_of(loops_, [&](const TeamLoop& other) {
             const auto range = kernel_.source.range(*other.loop.statement);
             return range && range->begin <= at->begin && at->end <= range->end &&
                    other.loop.step == loop.loop.step && own(other) == own(loop);
           });
  });
}

const TeamLoop* TeamLoops::find(const clang::Stmt& statement) const {
  const auto found = std::ranges::find_if(
      loops_, [&](const TeamLoop& loop) { return loop.loop.statement == &statement; });
  return found == loops_.end() ? nullptr : &*found;
}

bool TeamLoops::any_within(const clang::Stmt& statement) const {
  bool found = false;
  walk(statement, [&](const clang::Stmt& node, const Ancestors&) {
    found = found || find(node) != nullptr;
    return !found;
  });
  return found;
}

bool TeamLoops::holds(TextRange range) const {
  return std::ranges::any_of(loops_, [&](const TeamLoop& loop) {
    const auto at = kernel_.source.range(*loop.loop.statement);
    return !at || (at->begin <= range.begin && range.end <= at->end);
  });
}

std::vector<const clang::Expr*> TeamLoops::rounded() const {
  std::vector<const clang::Expr*> values;
  for (const TeamLoop& loop : loops_)
    for (const Accumulation& one : loop.gathered) {
      if (one.is_idempotent() || !one.variable->getType()->isFloatingType()) continue;
      for (const clang::Stmt* place : one.places)
        if (const auto* binary =
                llvm::dyn_cast<clang::BinaryOperator>(&stripped(*llvm::cast<clang::Expr>(place))))
          values.push_back(binary->getRHS());
    }
  return values;
}

void TeamLoops::require_apart(Draft& draft) const {
  for (const clang::ParmVarDecl* target : *stored_)
    for (const MemoryAccess& access : all_)
      if (const clang::ParmVarDecl* other = parameter(access); other && other != target)
        transforms::require_apart(*target, *other, draft);
}

}  // namespace geak::clang_tool::transforms
