#pragma once

#include <vector>

#include "clang-tool/transforms/ast_queries.h"

namespace geak::clang_tool::transforms {

/// What is the same for all work-items of a workgroup, and known without reading memory.
class UniformValues {
 public:
  /// As the values are at `place`, a statement of the kernel's own block.
  UniformValues(const KernelView& kernel, const clang::Stmt& place)
      : kernel_(kernel), place_(place) {}

  /// `also`: variables that count as uniform.
  bool is_uniform(const clang::Expr& expression,
                  const std::vector<const clang::VarDecl*>& also = {}) const;

 private:
  bool is_uniform(const clang::VarDecl& variable, unsigned depth) const;

  const KernelView& kernel_;
  const clang::Stmt& place_;
};

/// Elements and members that an expression reaches through pointers or in arrays, the outermost
/// node of each access.
std::vector<const clang::Expr*> memory_reads(const clang::Stmt& root);

}  // namespace geak::clang_tool::transforms
