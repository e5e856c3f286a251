#pragma once

#include <optional>
#include <string>

namespace clang {
class FunctionDecl;
}

namespace geak::clang_tool::transforms {

/// Memory that the kernel may reach by ways other than its own pointer parameters: says which.
std::optional<std::string> other_way_to_memory(const clang::FunctionDecl& kernel);

}  // namespace geak::clang_tool::transforms
