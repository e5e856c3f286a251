#pragma once

#include <string>
#include <variant>
#include <vector>

#include "clang-tool/transforms/ast_queries.h"

namespace geak::clang_tool::transforms {

/// `blockIdx.a * blockDim.a + threadIdx.a` in the kernel: the number of a work-item along an axis.
struct GlobalIndex {
  unsigned axis = 0;
  std::vector<const clang::Expr*> uses;
  /// The uses are `blockIdx.a` alone: an item is a whole workgroup's.
  bool of_workgroup = false;
};

/// Every use of an axis's launch values as a global index, so that the kernel cannot tell how items
/// are spread over workgroups. Refuses where the kernel uses them in any other way, or works with
/// other work-items (barriers, LDS, wave operations). `draft` says which workgroup size is certain:
/// a constant then counts as blockDim.
std::variant<GlobalIndex, Refusal> global_index(const KernelView& kernel, unsigned axis,
                                                const Draft& draft);
/// Every use of an axis's launch values as `blockIdx` alone; refuses as `global_index` does.
std::variant<GlobalIndex, Refusal> workgroup_index(const KernelView& kernel, unsigned axis);
/// Whether the expression is `blockIdx.a * blockDim.a + threadIdx.a`, or `blockDim.a`; a constant
/// counts where `draft` makes the workgroup's size certain.
bool is_global_index(const KernelView& kernel, const clang::Expr& expression, unsigned axis,
                     const Draft& draft);
bool is_block_size(const KernelView& kernel, const clang::Expr& expression, unsigned axis,
                   const Draft& draft);
/// Why items of this kernel cannot be given to other work-items, whatever the axis.
std::optional<Refusal> tied_to_workgroup(const KernelView& kernel);

/// The expression in terms of what the host knows: parameters that the kernel does not change,
/// constants. Unchanged local variables are followed to where they begin. `substitute` gives the
/// text of variables that need not be followed, `launch_text` that of launch values, if it is
/// given. Nothing where anything else is in it.
using Substitute = std::function<std::optional<std::string>(const clang::VarDecl&)>;
using LaunchText = std::function<std::optional<std::string>(LaunchIndex)>;
std::optional<std::string> expanded(const KernelView& kernel, const clang::Expr& expression,
                                    const Substitute& substitute,
                                    const LaunchText& launch_text = nullptr);

/// `if (condition) return;` and nothing else: the condition.
const clang::Expr* as_early_return(const clang::Stmt& statement);

/// The bound b of an early return's `index >= b`, in terms of parameters; nothing where the
/// condition has no such alternative.
std::optional<std::string> items_bound(const KernelView& kernel, const clang::Expr& condition,
                                       const GlobalIndex& index);
/// The alternatives of an early return's condition that are no such comparison.
std::vector<const clang::Expr*> other_alternatives(const KernelView& kernel,
                                                   const clang::Expr& condition,
                                                   const GlobalIndex& index);

/// Host's condition: the original grid has at least as many items along the index's axis as the
/// bound says, and there may be `slack` more of them without overflow.
std::string items_reach(const std::string& bound, const GlobalIndex& index, std::uint64_t slack);
/// Host's condition under which items beyond the original's grid do nothing, because an early
/// return compares the axis's global index to a bound that the original grid reaches. `slack`:
/// how many more items there may be. Nothing where no such return stands before any effect.
std::optional<std::string> extra_items_return(const KernelView& kernel, const GlobalIndex& index,
                                              std::uint64_t slack);

}  // namespace geak::clang_tool::transforms
