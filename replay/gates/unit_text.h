// What a whole source file says by itself, apart from the system's headers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace geak::replay {

struct UnitText {
  std::string own;                    // preprocessed, without line markers
  std::vector<std::string> includes;  // files that it reads besides the system's headers
};

// `preprocessed`: what the compiler's -E prints, with GNU line markers ("# 12 \"file\" 3").
UnitText own_text(std::string_view preprocessed);

}  // namespace geak::replay
