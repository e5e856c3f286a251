#pragma once

#include <optional>
#include <string>
#include <vector>

#include "clang-tool/transforms/ast_queries.h"

namespace geak::clang_tool::transforms {

/// One element of memory that a statement reaches: through a pointer, or in LDS.
struct MemoryAccess {
  const clang::Expr* place = nullptr;    ///< the element, or the whole of `__ldg(&p[i])`
  const clang::Expr* address = nullptr;  ///< p of `*p` and `__ldg(p)`, p of `p[i]`
  const clang::Expr* index = nullptr;    ///< i of `p[i]`; null: 0
  /// The pointer parameter or `__shared__` variable that it lies in.
  const clang::VarDecl* root = nullptr;
  bool read = false;
  bool written = false;
  bool conditional = false;  ///< not every time that the statement and its loops run
  std::vector<const clang::ForStmt*> loops = {};  ///< whose bodies it stands in, outermost first

  bool lies_in_lds() const;
};

/// Everything that `root` reads and stores beyond its locals. Nothing, and why, where that is not
/// plain: addresses that go elsewhere, pointers that come out of memory, calls that are no
/// `is_value_call`.
std::optional<std::vector<MemoryAccess>> memory_accesses(const KernelView& kernel,
                                                         const clang::Stmt& root,
                                                         std::string& problem);

/// Whether what stands around an element takes its value and no more: a copy of it would do.
bool only_reads(const clang::Expr& element, const Ancestors& ancestors);

/// A call whose result follows from the values of its arguments, and whose only effects are on
/// locals of the caller: nothing that depends on the work-item, no memory, no other work-items.
bool is_value_call(const clang::CallExpr& call);

/// One that leaves the caller's locals as they are, too.
bool is_pure_call(const clang::CallExpr& call);

}  // namespace geak::clang_tool::transforms
