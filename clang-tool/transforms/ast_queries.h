#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "clang-tool/transforms/transform.h"

namespace clang {
class CallExpr;
class DeclRefExpr;
class Expr;
class ForStmt;
class Stmt;
class ValueDecl;
class VarDecl;
}  // namespace clang

namespace geak::clang_tool::transforms {

/// threadIdx, blockIdx, blockDim, gridDim.
enum class LaunchValue { thread, block, block_size, grid_size };

struct LaunchIndex {
  LaunchValue value;
  unsigned axis;  ///< 0 to 2
  bool operator==(const LaunchIndex&) const = default;
};

/// Walks in source order, each written node once (a pseudo-object in its written form, implicit
/// nodes included). `visit` gets the node and its ancestors, outermost first; false: not into it.
using Ancestors = std::vector<const clang::Stmt*>;
void walk(const clang::Stmt& root,
          const std::function<bool(const clang::Stmt&, const Ancestors&)>& visit);

/// Whether there is a statement of one of these kinds in `root`, itself included.
template <typename... Kinds>
bool holds_any(const clang::Stmt& root) {
  bool found = false;
  walk(root, [&](const clang::Stmt& node, const Ancestors&) {
    found = found || llvm::isa<Kinds...>(&node);
    return !found;
  });
  return found;
}

/// Without parentheses, implicit casts and casts between integers of at least 32 bits.
const clang::Expr& stripped(const clang::Expr& expression);
/// `threadIdx.x` and its kin, in both of the forms that HIP's headers have.
std::optional<LaunchIndex> as_launch_index(const clang::Expr& expression);
/// Uses of launch values in `root` (not in functions that it calls), by outermost expression.
struct LaunchIndexUse {
  LaunchIndex index;
  const clang::Expr* expression;
};
std::vector<LaunchIndexUse> launch_index_uses(const clang::Stmt& root);

/// Variable that a (stripped) expression names, or null.
const clang::VarDecl* as_variable(const clang::Expr& expression);
/// Whether anything in `root` may change the variable: all that is not plainly a read.
bool may_change(const clang::Stmt& root, const clang::VarDecl& variable);
/// `target = value` that does no more than copying, of numbers or of classes.
struct Copying {
  const clang::Expr* target = nullptr;
  const clang::Expr* value = nullptr;
};
std::optional<Copying> as_copying(const clang::Expr& expression);
/// Variables that an expression names.
std::vector<const clang::VarDecl*> variables_in(const clang::Stmt& root);
bool mentions(const clang::Stmt& root, const clang::VarDecl& variable);

/// A call of HIP's min, max and their kin, or of std's.
enum class Extreme { least, greatest };
std::optional<Extreme> as_extreme(const clang::CallExpr& call);

std::optional<std::int64_t> constant_value(const clang::Expr& expression,
                                           const clang::ASTContext& context);

/// `for (T v = a; v < b; v += c)` and its like. `v` is changed by the header alone and no `break`,
/// `goto` or `return` leaves the loop where `leaves` is false.
struct CountedLoop {
  const clang::ForStmt* statement = nullptr;
  const clang::VarDecl* variable = nullptr;
  const clang::Expr* begin = nullptr;
  const clang::Expr* end = nullptr;   ///< right side of the condition
  bool end_included = false;          ///< <=
  std::int64_t step = 1;              ///< constant, positive
  std::optional<std::int64_t> trips;  ///< where begin and end are constants
  std::optional<std::int64_t> first;  ///< constant begin
  bool leaves = false;
  const clang::Expr* also = nullptr;  ///< see as_bounded_loop
};
/// Whether control may leave a loop of this body other than by its condition.
bool leaves_loop(const clang::Stmt& body);
std::optional<CountedLoop> as_counted_loop(const clang::Stmt& statement,
                                           const clang::ASTContext& context);
/// The same where the condition may be `v < b && also`: `also` then ends the loop, too.
std::optional<CountedLoop> as_bounded_loop(const clang::Stmt& statement,
                                           const clang::ASTContext& context);

/// `for (T v = a; v < b; v += c)` with any sum for its step. `v` is changed by the header alone,
/// and nothing but the condition leaves the loop.
struct StridedLoop {
  const clang::ForStmt* statement = nullptr;
  const clang::VarDecl* variable = nullptr;
  const clang::Expr* begin = nullptr;
  const clang::Expr* end = nullptr;  ///< as the condition compares it, conversions included
  const clang::Expr* step = nullptr;
};
std::optional<StridedLoop> as_strided_loop(const clang::Stmt& statement,
                                           const clang::ASTContext& context);
/// The same where other ways may leave the loop.
std::optional<StridedLoop> as_strided_head(const clang::Stmt& statement,
                                           const clang::ASTContext& context);

/// What a kernel does that ties its work-items together or to their place in the launch.
struct SharedBehaviour {
  bool barrier = false;
  bool lds = false;
  bool wave = false;  ///< shuffles, votes, lane ids, AMDGPU builtins
  bool fence = false;
  bool volatile_access = false;
  bool unknown_call = false;  ///< a function whose definition is not in the unit
  std::string unknown_callee;
  bool callee_uses_launch = false;  ///< a called function reads threadIdx and its kin
  bool inline_asm = false;
  /// __ldg, textures and surfaces: a cache that does not notice what the same launch stores.
  bool reads_stale = false;
};
SharedBehaviour shared_behaviour(const clang::FunctionDecl& kernel);
/// Fences, volatile accesses and inline assembly: others may see when memory changes.
std::optional<Refusal> shows_its_order(const SharedBehaviour& behaviour);
/// The same, and calls into what the unit does not define, which may do any of it.
std::optional<Refusal> may_show_its_order(const SharedBehaviour& behaviour);

/// `__syncthreads()`, as a statement.
bool is_barrier(const clang::Stmt& statement);

/// Whether evaluating twice, or not at all, makes no difference: no stores, calls with effects,
/// atomics. Calls of functions that only read are pure; those without a definition are not,
/// builtins and maths functions without effects apart.
bool is_pure(const clang::Stmt& root, const clang::ASTContext& context);

}  // namespace geak::clang_tool::transforms
