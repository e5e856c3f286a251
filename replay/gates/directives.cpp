#include <algorithm>
#include <set>

#include "replay/gates/text_rules.h"

namespace geak::replay {
namespace {

std::set<std::vector<std::string>> directives_of(const Scan& scan) {
  std::set<std::vector<std::string>> found;
  for (std::size_t i = 0; i < scan.tokens.size(); ++i) {
    if (scan.tokens[i].text == "#") found.insert(directive_at(scan.tokens, i));
  }
  return found;
}

}  // namespace

std::optional<Refusal> check_directives(const Scan& candidate, const Scan& original) {
  const auto& tokens = candidate.tokens;
  const auto known = directives_of(original);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].text == "%" && i + 1 < tokens.size() && tokens[i + 1].text == ":") {
      return Refusal{"the candidate's text has a preprocessor directive in disguise", kLink,
                     tokens[i].line};
    }
    if (tokens[i].text != "#") continue;
    const auto words = directive_at(tokens, i);
    const auto word = [&](std::size_t k) { return k < words.size() ? words[k] : std::string(); };
    const bool allowed =
        word(1) == "pragma" && (word(2) == "unroll" || word(2) == "nounroll" ||
                                (word(2) == "clang" && (word(3) == "loop" || word(3) == "fp")));
    // An #include with a quoted name has lost the name by now: it never counts as known.
    if (allowed || (known.contains(words) && word(1) != "include")) continue;
    // A pragma says by its next words what it is.
    std::string name = word(1);
    for (std::size_t k = 2;
         name.starts_with("pragma") && k < std::min<std::size_t>(words.size(), 5); ++k) {
      name += " " + word(k);
    }
    return Refusal{"the candidate's text has the preprocessor directive #" + name, kLink,
                   tokens[i].line};
  }
  return std::nullopt;
}

}  // namespace geak::replay
