// Which statements combine elements of LDS in rounds, found by running them: from each loop with
// barriers on, as many of its neighbours as can be run and leave a scan or a reduction. What nobody
// looks at afterwards may be anything: partial sums of a tree, the other half of two buffers.
#include "clang-tool/transforms/lds_rounds.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>

#include <algorithm>

#include "clang-tool/transforms/global_index.h"
#include "clang-tool/transforms/later_uses.h"
#include "clang-tool/transforms/uniform_values.h"

namespace geak::clang_tool::transforms {
namespace {

using Result = RoundsResult::Kind;
using Value = RunValue::Kind;

bool is_loop(const clang::Stmt& statement) {
  return llvm::isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt>(&statement);
}

bool holds_barrier(const clang::Stmt& root) {
  bool found = false;
  walk(root, [&](const clang::Stmt& node, const Ancestors&) {
    found = found || is_workgroup_barrier(node);
    return !found;
  });
  return found;
}

std::optional<ElementLayout> layout_of(const std::vector<std::int64_t>& elements) {
  ElementLayout layout{.first = elements.front()};
  if (elements.size() > 1) layout.step = elements[1] - elements[0];
  for (std::size_t i = 1; i < elements.size(); ++i) {
    const std::int64_t more = elements[i] - elements[i - 1] - layout.step;
    if (more == 0) continue;
    layout.group = static_cast<std::int64_t>(i);
    layout.gap = more;
    break;
  }
  for (std::size_t n = 0; n < elements.size(); ++n) {
    const auto i = static_cast<std::int64_t>(n);
    if (elements[n] != layout.first + layout.step * i + layout.gap * (i / layout.group))
      return std::nullopt;
  }
  return layout;
}

/// One block's statements from `first` on, and what the rest of the kernel does with their results.
class Region {
 public:
  Region(const KernelView& kernel, std::uint32_t work_items, const clang::CompoundStmt& block,
         std::size_t first, const Ancestors& around)
      : kernel_(kernel),
        work_items_(work_items),
        statements_(block.body_begin(), block.body_end()),
        first_(first),
        outermost_loop_(outermost_loop(around)),
        run_(kernel, work_items, {statements_.begin(), statements_.begin() + first}) {}

  /// As many statements as leave what is known; nothing where there are none.
  std::optional<LdsRounds> find(std::string& why) {
    std::optional<LdsRounds> best;
    for (last_ = first_; last_ < statements_.size() && run_.run(*statements_[last_]); ++last_) {
      const auto begin = kernel_.source.statement_range(*statements_[first_]);
      const auto end = kernel_.source.statement_range(*statements_[last_]);
      if (!begin || !end) break;
      range_ = {begin->begin, end->end};
      auto rounds = as_rounds(why);
      if (rounds) best = std::move(rounds);
    }
    if (last_ == first_ && !run_.problem().empty()) why = run_.problem();
    return best;
  }

 private:
  static const clang::Stmt* outermost_loop(const Ancestors& around) {
    const auto found =
        std::ranges::find_if(around, [](const clang::Stmt* at) { return is_loop(*at); });
    return found == around.end() ? nullptr : *found;
  }

  std::optional<LdsRounds> as_rounds(std::string& why) {
    LdsRounds rounds;
    rounds.range = range_;
    rounds.waits_before = first_ > 0 && is_workgroup_barrier(*statements_[first_ - 1]);
    rounds.barriers = run_.barriers();
    if (declares_for_others(why)) return std::nullopt;
    why = "what the rounds leave is no scan and no reduction";
    for (const auto& [array, state] : run_.arrays()) {
      auto result = result_of(*array, state);
      if (!result) return std::nullopt;
      rounds.results.push_back(std::move(*result));
    }
    if (rounds.results.empty() || !take_variables(rounds, why) || !all_take_part(why))
      return std::nullopt;
    rounds.arguments = run_.arguments();
    rounds.named = named();
    return rounds;
  }

  std::vector<const clang::VarDecl*> named() const {
    std::vector<const clang::VarDecl*> found;
    for (std::size_t i = first_; i <= last_; ++i)
      for (const clang::VarDecl* variable : variables_in(*statements_[i])) {
        const auto declared = kernel_.source.offset(variable->getLocation());
        const bool inside = !declared || (*declared >= range_.begin && *declared < range_.end);
        if (variable->isLocalVarDecl() && variable->hasLocalStorage() && !inside)
          found.push_back(variable);
      }
    return found;
  }

  LaterUses uses() {
    return {kernel_,     run_,
            work_items_, {statements_.begin(), statements_.begin() + first_},
            range_,      outermost_loop_ != nullptr};
  }

  bool declares_for_others(std::string& why) {
    for (std::size_t i = first_; i <= last_; ++i)
      if (const auto* statement = llvm::dyn_cast<clang::DeclStmt>(statements_[i]))
        for (const clang::Decl* declared : statement->decls())
          if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(declared);
              variable != nullptr && uses().is_used(*variable)) {
            why = "the rounds declare variables that others use";
            return true;
          }
    return false;
  }

  std::optional<RoundsResult> result_of(const clang::VarDecl& array, const RunArray& state) {
    if (!state.combination) return std::nullopt;
    std::vector<std::int64_t> from, aside, changed;
    auto looked_at = uses().looked_at(array, state);
    if (!looked_at) return std::nullopt;
    const std::vector<char> live = std::move(*looked_at);
    const auto size = static_cast<std::int64_t>(state.elements.size());
    bool any_aside = false;
    for (std::int64_t i = 0; i < size; ++i) {
      const RunArray::Element& element = state.elements[static_cast<std::size_t>(i)];
      if (element.read_first) from.push_back(i);
      if (element.written && !element.read_first) {
        aside.push_back(i);
        any_aside = any_aside || live[static_cast<std::size_t>(i)];
      }
      if (element.written && live[static_cast<std::size_t>(i)]) changed.push_back(i);
    }
    if (from.size() < 2 || changed.empty()) return std::nullopt;
    RoundsResult result;
    result.array = &array;
    result.type = state.type;
    result.combination = *state.combination;
    result.function = state.function;
    result.count = from.size();
    const auto source = layout_of(from);
    if (!source) return std::nullopt;
    result.from = result.to = *source;
    const RunValue& one = state.elements[static_cast<std::size_t>(changed.front())].value;
    if (changed.size() == 1 && one.kind == Value::elements &&
        one.elements->count() == from.size()) {
      result.kind = Result::whole;
      result.target = changed.front();
      return result;
    }
    if (any_aside) {
      // From one buffer into the other one; the first must not be looked at any more.
      const auto target = aside.size() == from.size() ? layout_of(aside) : std::nullopt;
      if (!target || std::ranges::any_of(changed, [&](std::int64_t i) {
            return state.elements[static_cast<std::size_t>(i)].read_first;
          }))
        return std::nullopt;
      result.to = *target;
      return scanned(state, live, from, aside, result);
    }
    return scanned(state, live, from, from, result);
  }

  /// Each element that is looked at holds all up to itself, or all before itself.
  static std::optional<RoundsResult> scanned(const RunArray& state, const std::vector<char>& live,
                                             const std::vector<std::int64_t>& from,
                                             const std::vector<std::int64_t>& to,
                                             RoundsResult result) {
    for (const Result kind : {Result::inclusive, Result::exclusive}) {
      llvm::BitVector expected(static_cast<unsigned>(state.elements.size()));
      bool fits = true;
      for (std::size_t i = 0; i < to.size() && fits; ++i) {
        if (kind == Result::inclusive) expected.set(static_cast<unsigned>(from[i]));
        const auto at = static_cast<std::size_t>(to[i]);
        const RunValue& value = state.elements[at].value;
        if (live[at])
          fits = value.kind == Value::elements
                     ? *value.elements == expected
                     : expected.none() && is_neutral(value, result.combination);
        if (kind == Result::exclusive) expected.set(static_cast<unsigned>(from[i]));
      }
      result.kind = kind;
      if (fits) return result;
    }
    return std::nullopt;
  }

  /// Those that the statements change and others use must be one number for all.
  bool take_variables(LdsRounds& rounds, std::string& why) {
    for (const auto& [variable, values] : run_.changed()) {
      const RunValue& first = values.front();
      const bool uniform =
          first.kind == Value::integer && std::ranges::all_of(values, [&](const RunValue& value) {
            return value.kind == Value::integer && value.integer == first.integer;
          });
      if (uniform) {
        rounds.variables.emplace(variable, first.integer);
      } else if (uses().is_used(*variable)) {
        why = "the rounds leave values in variables that differ among work-items";
        return false;
      }
    }
    return true;
  }

  /// Work-items that have returned leave their elements alone.
  bool all_take_part(std::string& why) const {
    const auto loop = outermost_loop_ == nullptr ? std::nullopt
                                                 : kernel_.source.statement_range(*outermost_loop_);
    const unsigned until = loop ? loop->end : range_.end;
    bool all = true;
    walk(kernel_.body(), [&](const clang::Stmt& node, const Ancestors& around) {
      if (llvm::isa<clang::LambdaExpr>(&node)) return false;
      const auto range = kernel_.source.range(node);
      if (!llvm::isa<clang::ReturnStmt, clang::GotoStmt>(&node) || (range && range->begin >= until))
        return all;
      const clang::Expr* condition = around.size() < 2 ? nullptr : as_early_return(*around[1]);
      all =
          all && condition != nullptr && UniformValues(kernel_, *around[1]).is_uniform(*condition);
      return all;
    });
    if (!all) why = "some work-items may have returned before the rounds";
    return all;
  }

  const KernelView& kernel_;
  std::uint32_t work_items_;
  std::vector<const clang::Stmt*> statements_;
  std::size_t first_, last_ = 0;
  const clang::Stmt* outermost_loop_;
  TextRange range_ = {};
  WorkgroupRun run_;
};

}  // namespace

std::vector<LdsRounds> lds_rounds(const KernelView& kernel, std::uint32_t work_items,
                                  std::string& why) {
  std::vector<LdsRounds> found;
  why = "no loop combines elements of LDS with barriers between";
  walk(kernel.body(), [&](const clang::Stmt& node, const Ancestors& around) {
    if (llvm::isa<clang::LambdaExpr>(&node)) return false;
    const auto* block = llvm::dyn_cast<clang::CompoundStmt>(&node);
    if (block == nullptr) return true;
    for (std::size_t i = 0; i < block->size(); ++i) {
      const clang::Stmt& statement = *block->body_begin()[i];
      const auto range = kernel.source.range(statement);
      const bool taken = std::ranges::any_of(found, [&](const LdsRounds& rounds) {
        return !range || (range->begin >= rounds.range.begin && range->end <= rounds.range.end);
      });
      if (taken || !is_loop(statement) || !holds_barrier(statement)) continue;
      Ancestors with = around;
      with.push_back(block);
      if (auto rounds = Region(kernel, work_items, *block, i, with).find(why))
        found.push_back(std::move(*rounds));
    }
    return true;
  });
  return found;
}

}  // namespace geak::clang_tool::transforms
