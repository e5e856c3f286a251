#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "clang-tool/transforms/ast_queries.h"
#include "clang-tool/transforms/readable_range.h"

namespace geak::clang_tool::transforms {

/// Whether a loop's later rounds can be asked for: its header has no effects, and what ends it
/// early does not depend on the round.
bool can_look_ahead(const KernelView& kernel, const CountedLoop& loop);

/// Finds out whether a round of a loop does anything without doing it: the conditions in the body
/// under which it has effects, as straight statements without branches. What is not understood
/// counts as an effect, so that a round which the probe calls quiet changes nothing.
///
/// The probe may run for rounds that the original never reaches, and reads what it reads in any
/// case, so each read must be possible: one that every round makes, of an address that the rounds
/// before cannot have changed, in a loop that no round leaves; one that does not depend on the
/// round; or one that the host can bound.
class QuietProbe {
 public:
  /// `tests`: so many conditions are evaluated, what stands under further ones counts as an effect.
  QuietProbe(const KernelView& kernel, const CountedLoop& loop, const Draft& draft, unsigned tests);

  /// Nothing where every round may have an effect. Statements that set `hit`, a bool variable, if
  /// the round may have one; the loop's variable is declared before them.
  std::optional<std::string> text(const std::string& hit);
  /// What the host must grant for the reads.
  void require(Draft& draft) const { readable_.require(draft); }
  /// Whether a round's effects leave alone what the probe read for the rounds after it, given what
  /// is then added to `draft`.
  bool outlasts_effects(Draft& draft) const;

 private:
  /// When control gets there: never, always, or under a condition over the probe's variables.
  struct Path {
    bool always = true;
    std::string condition;
    std::string and_also(const std::string& more) const;
  };
  enum class Outcome { goes_on, skips, has_effect };

  Outcome add(const clang::Stmt& statement, Path& path);
  Outcome add_declaration(const clang::DeclStmt& statement, const Path& path);
  Outcome add_branch(const clang::IfStmt& branch, Path& path);
  Outcome effect(const Path& path);
  bool surely_has_effect(const clang::Stmt& statement) const;
  bool may_evaluate(const clang::Expr& expression, const Path& path);
  bool may_read(const clang::Expr& lvalue, const Path& path);
  bool is_total(const clang::Expr& expression) const;
  bool changes_in_loop(const clang::VarDecl& variable) const;
  bool is_of_body(const clang::VarDecl& variable) const;
  bool depends_on_round(const clang::Expr& expression) const;
  std::optional<std::string> flat(const clang::Expr& condition) const;

  const KernelView& kernel_;
  const CountedLoop& loop_;
  const clang::Stmt& body_;
  TextRange body_range_;
  unsigned tests_;
  unsigned conditions_ = 0;
  std::string hit_, text_;
  bool always_hits_ = false;
  std::set<std::string> names_;
  std::vector<const clang::Expr*> evaluated_;
  ReadableRange readable_;
};

}  // namespace geak::clang_tool::transforms
