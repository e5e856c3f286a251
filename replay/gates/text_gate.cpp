#include "replay/gates/text_gate.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <string>
#include <vector>

namespace geak::replay {
namespace {

struct Token {
  std::string text;  // a word, or one character; strings and characters as "\""
  int depth = 0;     // of braces around it
  bool starts_line = false;
};

struct Scan {
  std::vector<Token> tokens;
  std::string problem;
};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$'; }

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

Scan scan(std::string_view text) {
  Scan result;
  int depth = 0;
  bool starts_line = true;
  const auto fail = [&](const char* problem) { result.problem = problem; };
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
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
      result.tokens.push_back({"\"", depth, false});
      at = end;
    } else if (is_word(c)) {
      const auto end =
          std::find_if_not(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), is_word);
      const auto length = static_cast<std::size_t>(end - text.begin()) - at;
      result.tokens.push_back({std::string(text.substr(at, length)), depth, starts_line});
      starts_line = false;
      at += length;
    } else {
      if (c == '}' && --depth < 0) return fail("a brace closes what surrounds the text"), result;
      result.tokens.push_back({std::string(1, c), depth, starts_line});
      if (c == '{') ++depth;
      starts_line = false;
      ++at;
    }
  }
  if (depth != 0) fail("braces are not balanced");
  return result;
}

// Names and what using one of them would be.
struct Forbidden {
  const char* name;
  const char* why;
  const char* attack;
};
constexpr const char* kHost = "1, 2, 4, 26: host code";
constexpr const char* kAsm = "9: inline assembly";
constexpr const char* kLink = "25: changes how the program is linked";
constexpr const char* kClock = "4, 8, 28: reads clocks or its own packet";
constexpr std::array kForbidden = {
    Forbidden{"asm", "inline assembly", kAsm},
    Forbidden{"__asm", "inline assembly", kAsm},
    Forbidden{"__asm__", "inline assembly", kAsm},
    Forbidden{"__builtin_amdgcn_s_setreg", "changes of hardware modes", kAsm},
    Forbidden{"_Pragma", "a pragma", kLink},
    Forbidden{"__host__", "host code", kHost},
    Forbidden{"__managed__", "managed variables", kHost},
    Forbidden{"import", "an import", kLink},
    Forbidden{"module", "a module", kLink},
    Forbidden{"constructor", "an attribute that runs on the host", kHost},
    Forbidden{"destructor", "an attribute that runs on the host", kHost},
    Forbidden{"init_priority", "an attribute that runs on the host", kHost},
    Forbidden{"alias", "an attribute of the linker's", kLink},
    Forbidden{"ifunc", "an attribute of the linker's", kLink},
    Forbidden{"section", "an attribute of the linker's", kLink},
    Forbidden{"weak", "an attribute of the linker's", kLink},
    Forbidden{"visibility", "an attribute of the linker's", kLink},
    Forbidden{"used", "an attribute of the linker's", kLink},
    Forbidden{"clock", "a clock", kClock},
    Forbidden{"clock64", "a clock", kClock},
    Forbidden{"wall_clock64", "a clock", kClock},
    Forbidden{"__clock", "a clock", kClock},
    Forbidden{"__clock64", "a clock", kClock},
    Forbidden{"__builtin_readcyclecounter", "a clock", kClock},
    Forbidden{"__builtin_amdgcn_s_memtime", "a clock", kClock},
    Forbidden{"__builtin_amdgcn_s_memrealtime", "a clock", kClock},
    Forbidden{"__builtin_amdgcn_dispatch_ptr", "the dispatch packet", kClock},
    Forbidden{"__builtin_amdgcn_queue_ptr", "the queue", kClock},
    Forbidden{"printf", "printing", "26: prints or calls into the host"},
    Forbidden{"malloc", "allocation from the device's heap", "5: state kept between launches"},
};

std::optional<Refusal> check_names(const Scan& candidate, const Scan& original) {
  std::set<std::string> known;
  for (const auto& token : original.tokens) known.insert(token.text);
  for (const auto& token : candidate.tokens) {
    for (const auto& [name, why, attack] : kForbidden) {
      if (token.text == name && !known.contains(token.text)) {
        return Refusal{std::string("the candidate's text uses ") + why + " (" + name + ")", attack};
      }
    }
  }
  return std::nullopt;
}

std::optional<Refusal> check_directives(const Scan& candidate) {
  const auto& tokens = candidate.tokens;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].text == "%" && i + 1 < tokens.size() && tokens[i + 1].text == ":") {
      return Refusal{"the candidate's text has a preprocessor directive in disguise", kLink};
    }
    if (tokens[i].text != "#") continue;
    const auto word = [&](std::size_t k) {
      return i + k < tokens.size() ? tokens[i + k].text : std::string();
    };
    const bool allowed =
        word(1) == "pragma" && (word(2) == "unroll" || word(2) == "nounroll" ||
                                (word(2) == "clang" && (word(3) == "loop" || word(3) == "fp")));
    if (!allowed) {
      return Refusal{"the candidate's text has the preprocessor directive #" + word(1), kLink};
    }
  }
  return std::nullopt;
}

// Each declaration outside of braces must be of the device, or produce no code by itself.
std::optional<Refusal> check_declarations(const Scan& candidate) {
  static const std::set<std::string> device = {"__global__", "__device__", "__constant__"};
  static const std::set<std::string> codeless = {
      "struct",  "class",         "union",     "enum",      "using",
      "typedef", "static_assert", "constexpr", "namespace", "concept"};
  std::vector<std::string> words;
  const auto judge = [&]() -> std::optional<Refusal> {
    const bool fine = std::ranges::any_of(
        words, [](const auto& word) { return device.contains(word) || codeless.contains(word); });
    if (words.empty() || fine) return std::nullopt;
    std::string text;
    for (std::size_t i = 0; i < std::min<std::size_t>(words.size(), 6); ++i) text += words[i] + " ";
    return Refusal{"the candidate's text declares something that is not of the device: " + text,
                   kHost};
  };
  for (const auto& token : candidate.tokens) {
    if (token.depth != 0 || token.text == "#") continue;
    if (token.text == ";" || (token.text == "}" && !words.empty())) {
      if (auto refusal = judge()) return refusal;
      words.clear();
      continue;
    }
    words.push_back(token.text);
  }
  return judge();
}

// A static member that is initialised when the program starts is host code.
std::optional<Refusal> check_static_members(const Scan& candidate) {
  const auto& tokens = candidate.tokens;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    const bool pair = (tokens[i].text == "static" && tokens[i + 1].text == "inline") ||
                      (tokens[i].text == "inline" && tokens[i + 1].text == "static");
    if (pair && tokens[i].depth > 0) {
      return Refusal{"the candidate's text has a static inline member", kHost};
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Refusal> check_text(std::string_view candidate, std::string_view original) {
  const auto text = scan(candidate);
  if (!text.problem.empty()) {
    return Refusal{"the candidate's text can't be judged: " + text.problem, kLink};
  }
  if (auto refusal = check_directives(text)) return refusal;
  if (auto refusal = check_names(text, scan(original))) return refusal;
  if (auto refusal = check_static_members(text)) return refusal;
  return check_declarations(text);
}

}  // namespace geak::replay
