#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "clang-tool/transforms/global_index.h"

namespace clang {
class BinaryOperator;
}

namespace geak::clang_tool::transforms {

class WideItems;

/// How much variables grow from one copy to the next, as text; empty: not at all.
using Growth = std::map<const clang::VarDecl*, std::string>;

/// Writes a kernel's statements several times over, one copy for each item that a work-item takes,
/// statement by statement: loads of all items come before stores of any, and what the copies have
/// in common the compiler sees side by side. Work-items of the original that share nothing but
/// memory run in no order, so any order of the copies is one that the original may take.
class ItemCopies {
 public:
  /// `items[c]` gives, for copy c, the expression of each index's axis.
  ItemCopies(const KernelView& kernel, const std::vector<GlobalIndex>& indices,
             std::vector<std::map<unsigned, std::string>> items, Growth growth = {});

  /// Elements that neighbour each other are from now on reached by wide accesses.
  void widen(const WideItems& wide) { wide_ = &wide; }
  /// Parameters that wide accesses were written for, and the alignment in bytes that they need.
  const std::map<const clang::ParmVarDecl*, unsigned>& widened() const { return widened_; }

  /// Copies of parameters that the kernel changes.
  std::string parameter_copies() const;
  /// Statements in lockstep; nothing where a statement cannot be copied (macros, lambdas).
  std::optional<std::string> lockstep(const std::vector<const clang::Stmt*>& statements) const;
  /// The text of an expression or statement for one copy.
  std::optional<std::string> copy(const clang::Stmt& node, std::size_t item) const;
  /// Whether all copies of an expression have the same value.
  bool is_the_same(const clang::Expr& expression) const { return is_shared_expression(expression); }
  std::size_t count() const { return items_.size(); }

 private:
  /// Replacements of nodes in one copy.
  using Replaced = std::map<const clang::Stmt*, std::string>;

  std::optional<std::string> copy(const clang::Stmt& node, std::size_t item,
                                  const Replaced& replaced) const;
  std::optional<std::string> grown(const clang::VarDecl& variable, const clang::Stmt& declaration,
                                   const std::string& by) const;
  std::optional<std::string> stores_last(const clang::BinaryOperator& store,
                                         const std::vector<Replaced>& replaced) const;
  std::optional<std::string> plain_statement(const clang::Stmt& statement) const;
  bool is_shared(const clang::VarDecl& variable) const;
  void share_moved_parameters();
  bool moves_shared_parameter(const clang::Stmt& statement) const;
  bool is_shared_expression(const clang::Stmt& expression) const;
  bool is_same_at_once(const clang::Stmt& expression) const;
  bool can_be_jammed(const clang::Stmt& statement) const;
  void find_own_variables(const std::vector<const clang::Stmt*>& statements);
  std::optional<std::string> lockstep_one(const clang::Stmt& statement) const;

  const KernelView& kernel_;
  const std::vector<GlobalIndex>& indices_;
  std::vector<std::map<unsigned, std::string>> items_;
  Growth growth_;
  const WideItems* wide_ = nullptr;
  mutable unsigned wide_count_ = 0;  ///< names given so far
  mutable std::map<const clang::ParmVarDecl*, unsigned> widened_;
  std::set<const clang::VarDecl*> own_;     ///< one for each copy
  std::set<const clang::VarDecl*> shared_;  ///< the same for all copies
};

/// Statements of a block (the statement itself where it is none).
std::vector<const clang::Stmt*> statements_of(const clang::Stmt& statement);

}  // namespace geak::clang_tool::transforms
