#pragma once

#include <optional>
#include <string>
#include <vector>

#include "clang-tool/transforms/loop_text.h"
#include "clang-tool/transforms/uniform_values.h"

namespace clang {
class ParmVarDecl;
}  // namespace clang

namespace geak::clang_tool::transforms {

/// One value that all work-items of a workgroup read, or work out alike, in a round of a loop.
struct SharedRead {
  std::string text;                         ///< as the body has it
  std::vector<const clang::VarDecl*> uses;  ///< variables in it
  clang::QualType type;
  std::vector<const clang::Expr*> places;  ///< where the body reads it
};

/// Equalities of shared values with values of the work-item, all of which must hold before a round
/// does anything: `if (a[i] == x && b[i] == y) ...` with nothing else in the body.
struct Match {
  std::vector<const clang::Expr*> shared, own;
};

/// A loop of the kernel's own block in which work-items read the same addresses.
struct SharedLoop {
  CountedLoop loop;
  std::vector<SharedRead> reads;
  std::size_t values = 0;  ///< so many of the reads are worked out
  std::optional<Match> match;
  /// Declarations of the body that the reads' addresses need, in order.
  std::vector<const clang::DeclStmt*> address_parts;
  bool end_is_uniform = false;
};

/// `values`: what is worked out of reads alone counts as one. `draft` gets what must hold for the
/// reads to be made early.
std::optional<SharedLoop> as_shared_loop(const KernelView& kernel, const clang::Stmt& statement,
                                         bool values, Draft& draft);

}  // namespace geak::clang_tool::transforms
