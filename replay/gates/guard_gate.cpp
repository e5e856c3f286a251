#include <cctype>
#include <set>
#include <string>

#include "replay/gates/text_gate.h"
#include "replay/gates/text_rules.h"

namespace geak::replay {

std::optional<Refusal> check_guard(std::string_view guard) {
  const auto text = scan(guard);
  const auto refuse = [](const std::string& what) {
    return Refusal{"the candidate's guard " + what + ", but it is to be a plain condition", kHost};
  };
  if (!text.problem.empty()) return refuse("can't be judged: " + text.problem);
  static const std::set<std::string> forbidden = {";", "{", "}", "#", "\"", "[", "?"};
  static const std::set<std::string> before_parenthesis = {"sizeof", "alignof", "uintptr_t",
                                                           "__is_same"};
  const auto& tokens = text.tokens;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const auto at = [&](std::size_t k) { return k < tokens.size() ? tokens[k].text : ""; };
    const auto& token = tokens[i].text;
    if (forbidden.contains(token)) return refuse("holds " + token);
    if ((token == "+" || token == "-") && at(i + 1) == token) return refuse("changes a variable");
    if (token == "=") {
      static const std::set<std::string> comparing = {"=", "!", "<", ">"};
      const bool compares = at(i + 1) == "=" || (i > 0 && comparing.contains(at(i - 1)));
      if (!compares) return refuse("assigns");
    }
    const bool word = is_word(token.front()) && !std::isdigit(static_cast<unsigned char>(token[0]));
    // What geak's own prelude asks of allocations, and changes nothing.
    const bool asks = (token == "apart" || token == "readable") && i >= 3 && at(i - 1) == ":" &&
                      at(i - 2) == ":" && at(i - 3) == "geak_swap" && (i == 3 || at(i - 4) != ":");
    // The type of a template's parameter: nothing is evaluated.
    const bool types = token == "decltype" && at(i + 3) == ")" && is_word(at(i + 2).front());
    if (word && at(i + 1) == "(" && !asks && !types && !before_parenthesis.contains(token)) {
      return refuse("calls " + token);
    }
    if (token == "asm" || token == "new" || token == "delete" || token == "throw") {
      return refuse("uses " + token);
    }
  }
  return std::nullopt;
}

}  // namespace geak::replay
