#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "clang-tool/transforms/accumulations.h"
#include "clang-tool/transforms/memory_accesses.h"

namespace clang {
class ParmVarDecl;
}  // namespace clang

namespace geak::clang_tool::transforms {

/// A loop of an item whose rounds any work-items may do, in any order.
struct TeamLoop {
  CountedLoop loop;
  std::vector<Accumulation> gathered;
  std::vector<MemoryAccess> accesses;
  /// Of what it stores: the element of a round, the same words for the same one in other loops.
  std::set<std::string> own_elements = {};
};

/// The loops of a kernel that work-items of a team can share out, outermost first, such that each
/// element which the kernel stores to is touched by one work-item of a team alone.
class TeamLoops {
 public:
  /// `fewest_trips`: loops known to be shorter stay whole. `problem`: why the last loop is none.
  TeamLoops(const KernelView& kernel, std::int64_t fewest_trips, std::string& problem);

  bool empty() const { return loops_.empty(); }
  const TeamLoop* find(const clang::Stmt& statement) const;
  bool any_within(const clang::Stmt& statement) const;
  bool holds(TextRange range) const;
  /// Sums that come out rounded otherwise.
  std::vector<const clang::Expr*> rounded() const;
  /// What a kernel stores to and all else that it touches.
  void require_apart(Draft& draft) const;

 private:
  void find_loops(std::int64_t fewest_trips, std::string& problem);
  std::optional<TeamLoop> as_team_loop(const clang::Stmt& statement, std::string& problem) const;
  bool same_each_round(const CountedLoop& loop) const;
  bool own_elements(TeamLoop& loop, std::string& problem) const;
  bool drop_shared_elements();
  bool only_own(const TeamLoop& loop, const clang::ParmVarDecl& target) const;

  const KernelView& kernel_;
  std::optional<std::set<const clang::ParmVarDecl*>> stored_;
  std::vector<MemoryAccess> all_;  ///< of the whole kernel
  std::vector<TeamLoop> loops_;
};

/// The text of a loop that a team shares out.
class TeamLoopText {
 public:
  /// `lane`: text of the work-item's number in its team; `number` tells names apart.
  TeamLoopText(const KernelView& kernel, const TeamLoop& loop, unsigned team, std::string lane,
               unsigned number);

  /// Nothing where a part comes out of a macro.
  std::optional<std::string> text() const;

 private:
  std::string name(const std::string& what) const;
  std::string type_text(clang::QualType type) const;
  std::string share(const Accumulation& one) const;
  std::string share_type(const Accumulation& one) const;
  std::string when(const Accumulation& one) const;
  std::string before() const;
  std::string together() const;
  std::string choice(const Accumulation& one, const std::string& shuffle) const;
  std::string combined(const Accumulation& one) const;
  std::string after() const;
  std::optional<std::string> rounds() const;
  std::optional<std::string> body() const;

  const KernelView& kernel_;
  const TeamLoop& loop_;
  unsigned team_;
  std::string lane_, suffix_;
};

}  // namespace geak::clang_tool::transforms
