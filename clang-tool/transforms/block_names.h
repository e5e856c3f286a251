#pragma once

#include "clang-tool/transforms/ast_queries.h"

namespace geak::clang_tool::transforms {

/// Names that a statement declares for those after it.
std::vector<std::string> declared_names(const clang::Stmt& statement);

/// Names of the parameters and of the kernel's own block.
std::vector<std::string> own_names(const KernelView& kernel);

/// Whether a block declares a name again that the kernel's own block or its parameters have, so
/// that its statements cannot stand among the kernel's own.
bool names_meet(const KernelView& kernel, const clang::Stmt& block);

}  // namespace geak::clang_tool::transforms
