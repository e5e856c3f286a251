#pragma once

#include <set>
#include <string>
#include <vector>

#include "clang-tool/transforms/ast_queries.h"

namespace clang {
class ArraySubscriptExpr;
class ParmVarDecl;
}  // namespace clang

namespace geak::clang_tool::transforms {

/// An element that a statement reads for each item, or stores to, at neighbouring places: `count`
/// of them are reached at once.
struct WideItem {
  const clang::ArraySubscriptExpr* element = nullptr;
  const clang::ParmVarDecl* pointer = nullptr;
  std::string type;
  unsigned bytes = 0;  ///< of one access: 4 to 16
  unsigned accesses = 1;
  bool is_store = false;
};

/// Finds elements whose index is a multiple of the number of items for the first item and grows by
/// one from item to item.
class WideItems {
 public:
  /// `next`: variables that grow by one and begin at a multiple of `count`; `multiples`: parameters
  /// that are multiples of it; `same`: whether all items have an expression in common.
  WideItems(const KernelView& kernel, unsigned count, std::set<const clang::VarDecl*> next,
            std::set<const clang::VarDecl*> multiples,
            std::function<bool(const clang::Expr&)> same);

  /// Those of one statement that it reaches whenever it runs.
  std::vector<WideItem> of(const clang::Stmt& statement) const;
  /// Those of `multiples` that the answers given so far relied on.
  const std::set<const clang::VarDecl*>& relied_on() const { return relied_on_; }

 private:
  std::optional<WideItem> as_wide(const clang::Expr& node, const Ancestors& path) const;
  bool grows_by_one(const clang::Expr& index) const;
  bool is_multiple(const clang::Expr& expression, unsigned depth = 0) const;

  const KernelView& kernel_;
  unsigned count_;
  std::set<const clang::VarDecl*> next_, multiples_;
  std::function<bool(const clang::Expr&)> same_;
  mutable std::set<const clang::VarDecl*> relied_on_;
};

}  // namespace geak::clang_tool::transforms
