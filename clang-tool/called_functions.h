#pragma once

#include <vector>

namespace clang {
class FunctionDecl;
}

namespace geak::clang_tool {

/// The definitions of `function` and of all functions that it reaches through calls and references,
/// each once, `function` first, the others in the order in which they are met. A function whose
/// definition the unit does not have (a builtin, a library's) is left out.
std::vector<const clang::FunctionDecl*> called_functions(const clang::FunctionDecl& function);

}  // namespace geak::clang_tool
