// What of a source can't be seen any more once it is preprocessed.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace geak::cli {

struct RawTextProblem {
  unsigned line = 0;  // in the source, from 1
  std::string text;   // that line
  std::string why;    // "says that another file follows (...)"
};

// The first such thing in `source`, in whatever way it is spelled (digraphs, trigraphs, continued
// lines, behind comments): a line marker ("#line 3", "# 3 \"file\" 1 3"), whose flags turn the text
// after it into a system header's; #embed; and names that stand for another text each time, or in
// another place, that it is compiled (__TIME__, __has_include). Names that `original` has too are
// fine.
std::optional<RawTextProblem> check_raw_text(std::string_view source, std::string_view original);

}  // namespace geak::cli
