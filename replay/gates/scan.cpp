#include "replay/gates/scan.h"

#include <algorithm>
#include <cctype>

namespace geak::replay {
namespace {

// End of a quoted literal that begins at `at`; npos where it has none.
std::size_t end_of_quoted(std::string_view text, std::size_t at) {
  const char quote = text[at];
  for (std::size_t i = at + 1; i < text.size() && text[i] != '\n'; ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == quote) {
      return i + 1;
    }
  }
  return std::string_view::npos;
}

}  // namespace

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$'; }

Scan scan(std::string_view text) {
  Scan result;
  int depth = 0;
  bool starts_line = true;
  unsigned line = 1;
  std::size_t counted = 0;  // up to where lines are
  const auto fail = [&](const char* problem) { result.problem = problem; };
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    for (; counted < at; ++counted) line += text[counted] == '\n';
    if (c == '\\' || text.substr(at, 3) == "?\?/") return fail("a line is continued"), result;
    if (c == '\n') starts_line = true;
    if (std::isspace(static_cast<unsigned char>(c))) {
      ++at;
    } else if (text.substr(at, 2) == "//") {
      at = std::min(text.find('\n', at), text.size());
    } else if (text.substr(at, 2) == "/*") {
      const auto end = text.find("*/", at + 2);
      if (end == std::string_view::npos) return fail("a comment does not end"), result;
      at = end + 2;
    } else if (c == '"' ||
               (c == '\'' &&
                (at == 0 || !std::isxdigit(static_cast<unsigned char>(text[at - 1]))))) {
      const bool raw = c == '"' && at > 0 && text[at - 1] == 'R';
      const auto end = end_of_quoted(text, at);
      if (raw || end == std::string_view::npos) return fail("a raw or unended literal"), result;
      result.tokens.push_back({"\"", depth, false, line});
      at = end;
    } else if (is_word(c)) {
      const auto end =
          std::find_if_not(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), is_word);
      const auto length = static_cast<std::size_t>(end - text.begin()) - at;
      result.tokens.push_back({std::string(text.substr(at, length)), depth, starts_line, line});
      starts_line = false;
      at += length;
    } else {
      if (c == '}' && --depth < 0) return fail("a brace closes what surrounds the text"), result;
      result.tokens.push_back({std::string(1, c), depth, starts_line, line});
      if (c == '{') ++depth;
      starts_line = false;
      ++at;
    }
  }
  if (depth != 0) fail("braces are not balanced");
  return result;
}

std::vector<std::string> directive_at(const std::vector<Token>& tokens, std::size_t at) {
  std::vector<std::string> words;
  for (std::size_t i = at; i < tokens.size() && (i == at || !tokens[i].starts_line); ++i) {
    words.push_back(tokens[i].text);
  }
  return words;
}

}  // namespace geak::replay
