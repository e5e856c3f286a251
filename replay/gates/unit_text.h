// What a whole source file says by itself, apart from the system's headers.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace geak::replay {

struct UnitText {
  std::string own;                    // preprocessed, without line markers
  std::vector<std::string> includes;  // files that it reads besides the system's headers
  struct Place {
    std::string file;
    unsigned line = 0;
  };
  std::vector<Place> places;  // of each line of `own`

  // "x.hip:12", for a line of `own` from 1; empty where there is none.
  std::string place_of(std::size_t line) const;
};

// `preprocessed`: what the compiler's -E prints, with GNU line markers ("# 12 \"file\" 3"). Sources
// that could have markers of their own are to be refused before (cli/raw_text.h). The main file
// counts as own in whatever way it is reached.
UnitText own_text(std::string_view preprocessed);

}  // namespace geak::replay
