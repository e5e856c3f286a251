#pragma once

#include <optional>
#include <string>
#include <vector>

#include "clang-tool/transforms/ast_queries.h"

namespace geak::clang_tool::transforms {

/// Reads that a loop may make for several rounds before any of these rounds does its work: every
/// round makes them, their addresses follow from the loop's variable and from what the loop does
/// not change, and what the loop stores reaches none of them in another round, nor before the read
/// in its own.
class AheadReads {
 public:
  /// The loop's variable is its round; `draft` gets the conditions under which stores lie apart.
  AheadReads(const KernelView& kernel, const CountedLoop& loop, Draft& draft);

  /// Why no round can be read ahead; else `places` and `needed` may be used.
  std::optional<Refusal> find();

  /// Elements and members, an inner one before the one whose address it is part of.
  const std::vector<const clang::Expr*>& places() const { return places_; }
  /// The loop's own variables that the addresses are computed from, in their order.
  const std::vector<const clang::DeclStmt*>& needed() const { return needed_; }

 private:
  std::optional<std::string> obstacle() const;
  bool is_unchanged(const clang::VarDecl& variable) const;
  bool is_inside(const clang::VarDecl& variable) const;
  bool is_fixed(const clang::Expr& expression) const;
  const clang::ArraySubscriptExpr* as_element_of_round(const clang::Expr& place) const;
  bool follows_from_round(const clang::Expr& expression);
  bool follows_from_round(const clang::VarDecl& local);
  bool may_read_ahead(const clang::Expr& place, const Ancestors& ancestors);
  bool stores_keep_off(const clang::Expr& place);

  const KernelView& kernel_;
  const CountedLoop& loop_;
  const clang::Stmt& body_;
  Draft& draft_;
  std::vector<const clang::Expr*> places_;
  std::vector<const clang::DeclStmt*> needed_;
};

}  // namespace geak::clang_tool::transforms
