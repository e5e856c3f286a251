#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <clang/AST/Type.h>

#include "clang-tool/transforms/ast_queries.h"

namespace clang {
class IfStmt;
}  // namespace clang

namespace geak::clang_tool::transforms {

/// One round of a reduction whose work-items combine `array[thread]` with `array[thread + width]`
/// and reach LDS nowhere else, written over registers: a work-item's own element and, through the
/// wave, that of the work-item `width` further.
struct RegisterRound {
  std::string load, shuffle, branch, store;
};

/// Whether HIP's and CUDA's shuffles take values of this type.
bool can_be_shuffled(clang::QualType type);

/// Nothing where the round is no such one. `is_thread`: whether an expression is threadIdx.x.
std::optional<RegisterRound> in_registers(const KernelView& kernel, const clang::IfStmt& branch,
                                          const clang::VarDecl& width,
                                          const std::function<bool(const clang::Expr&)>& is_thread);

}  // namespace geak::clang_tool::transforms
