// The words of a candidate's text, for the gates that judge it before it is compiled.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace geak::replay {

struct Token {
  std::string text;  // a word, or one character; strings and characters as "\""
  int depth = 0;     // of braces around it
  bool starts_line = false;
  unsigned line = 0;  // of the text, from 1
};

struct Scan {
  std::vector<Token> tokens;
  std::string problem;  // why the text can't be judged; empty: it can
};

// Comments are left out. A text with unbalanced braces or quotes, raw literals or continued lines
// has a problem: what a compiler makes of it may be something else than what is seen here.
Scan scan(std::string_view text);

bool is_word(char c);

// The tokens of the line of the directive that begins at `at`.
std::vector<std::string> directive_at(const std::vector<Token>& tokens, std::size_t at);

}  // namespace geak::replay
