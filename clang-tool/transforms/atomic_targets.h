#pragma once

#include <string>
#include <variant>
#include <vector>

#include "clang-tool/transforms/ast_queries.h"

namespace clang {
class CallExpr;
}  // namespace clang

namespace geak::clang_tool::transforms {

/// `atomicAdd(&base[i], value);`: an atomic operation whose former value nobody asks for.
struct BlindAtomic {
  const clang::CallExpr* call = nullptr;
  const clang::Expr* address = nullptr;
  const clang::Expr* value = nullptr;
};

/// An array of integers to which the kernel does atomic operations of one kind and nothing else, so
/// that their order and number cannot be told from their sum.
struct AtomicTarget {
  /// A pointer parameter, or an unchanged local pointer into one's array that is the same for all
  /// work-items of a workgroup.
  const clang::VarDecl* base = nullptr;
  const clang::ParmVarDecl* parameter = nullptr;
  const clang::Expr* begin = nullptr;  ///< of a local: what it begins with, in terms of parameters
  std::string operation;               ///< "atomicAdd"
  std::string type;
  std::string identity;  ///< value that the operation leaves everything as it is with
  std::uint64_t bytes = 0;
  std::vector<BlindAtomic> atomics;
};

std::variant<std::vector<AtomicTarget>, Refusal> atomic_targets(const KernelView& kernel);

}  // namespace geak::clang_tool::transforms
