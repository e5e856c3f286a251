#pragma once

#include <string>
#include <vector>

#include "clang-tool/translation_unit.h"

namespace geak::clang_tool {

/// Absolute paths of the files that the unit read and that are the user's: no header that was found
/// in a system folder (`-isystem`, the compiler's, HIP's). Sorted, the main file among them.
std::vector<std::string> user_files(const TranslationUnit& unit);

}  // namespace geak::clang_tool
