#pragma once

#include <optional>
#include <string>

#include "clang-tool/transforms/ast_queries.h"

namespace clang {
class ArraySubscriptExpr;
}  // namespace clang

namespace geak::clang_tool::transforms {

/// The one store of a loop: in every round a work-item stores `row[round]`, an element of a row of
/// its own. Rows of neighbours lie far apart, so that each store of a wavefront is many.
struct RowStore {
  const clang::ArraySubscriptExpr* place = nullptr;
  const clang::VarDecl* row = nullptr;
};

/// Where the store may come later, and from another work-item: nothing in the loop reads what it
/// stores, given what `draft` then asks for.
std::optional<RowStore> as_row_store(const KernelView& kernel, const CountedLoop& loop,
                                     Draft& draft);

/// Text for a workgroup that gathers its rows in LDS, `width` rounds at a time, and then stores
/// them together, neighbouring work-items neighbouring elements.
class RowText {
 public:
  RowText(const KernelView& kernel, const RowStore& store, unsigned width, std::uint64_t threads,
          std::string suffix, std::string lane);

  std::uint64_t bytes() const;
  /// Of the arrays; `working`: the work-item has a row.
  std::string declarations(const std::string& working) const;
  /// What stands for the place of the store in round `round` of a stretch.
  std::string place(const std::string& round) const;
  /// Stores `count` rounds of all rows, the first of them at the index `at` of that type; between
  /// barriers.
  std::string flush(const std::string& at, const std::string& type, const std::string& count) const;

 private:
  std::string name(const std::string& what) const { return "geak_" + what + suffix_; }

  const KernelView& kernel_;
  const RowStore& store_;
  unsigned width_;
  std::uint64_t threads_;
  std::string suffix_, lane_, type_;
};

}  // namespace geak::clang_tool::transforms
