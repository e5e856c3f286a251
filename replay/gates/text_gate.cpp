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
  unsigned line = 0;  // of the text, from 1
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

// Where a name is forbidden: `module` and `used` are fine names of variables.
enum class Where { anywhere, attributes, line_start };

// Names and what using one of them would be.
struct Forbidden {
  const char* name;
  const char* why;
  const char* attack;
  Where where = Where::anywhere;
};
constexpr const char* kHost = "1, 2, 4, 26: host code";
constexpr const char* kAsm = "9: inline assembly";
constexpr const char* kLink = "25: changes how the program is linked";
constexpr const char* kClock = "4, 8, 28: reads clocks or its own packet";
constexpr const char* kHarness = "4, 8: looks at what launched it";
constexpr const char* kServices = "26: prints or calls into the host";
constexpr const char* kHeap = "5: state kept between launches";
constexpr std::array kForbidden = {
    Forbidden{"asm", "inline assembly", kAsm},
    Forbidden{"__asm", "inline assembly", kAsm},
    Forbidden{"__asm__", "inline assembly", kAsm},
    Forbidden{"__builtin_amdgcn_s_setreg", "changes of hardware modes", kAsm},
    Forbidden{"_Pragma", "a pragma", kLink},
    Forbidden{"__host__", "host code", kHost},
    Forbidden{"__managed__", "managed variables", kHost},
    Forbidden{"import", "an import", kLink, Where::line_start},
    Forbidden{"module", "a module", kLink, Where::line_start},
    Forbidden{"constructor", "an attribute that runs on the host", kHost, Where::attributes},
    Forbidden{"destructor", "an attribute that runs on the host", kHost, Where::attributes},
    Forbidden{"init_priority", "an attribute that runs on the host", kHost, Where::attributes},
    Forbidden{"alias", "an attribute of the linker's", kLink, Where::attributes},
    Forbidden{"ifunc", "an attribute of the linker's", kLink, Where::attributes},
    Forbidden{"section", "an attribute of the linker's", kLink, Where::attributes},
    Forbidden{"weak", "an attribute of the linker's", kLink, Where::attributes},
    Forbidden{"visibility", "an attribute of the linker's", kLink, Where::attributes},
    Forbidden{"used", "an attribute of the linker's", kLink, Where::attributes},
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
    Forbidden{"__builtin_readsteadycounter", "a clock", kClock},
    Forbidden{"__builtin_amdgcn_s_getreg", "hardware registers", kClock},
    Forbidden{"__builtin_amdgcn_dispatch_id", "the dispatch's number", kHarness},
    Forbidden{"__builtin_amdgcn_kernarg_segment_ptr", "the memory of its arguments", kHarness},
    Forbidden{"__builtin_amdgcn_implicitarg_ptr", "its hidden arguments", kHarness},
    Forbidden{"__builtin_amdgcn_s_sendmsg", "messages to the host", kServices},
    Forbidden{"__builtin_amdgcn_s_sendmsghalt", "messages to the host", kServices},
    Forbidden{"__builtin_amdgcn_s_sethalt", "halting of waves", kHarness},
    Forbidden{"printf", "printing", kServices},
    Forbidden{"malloc", "allocation from the device's heap", kHeap},
    Forbidden{"new", "allocation from the device's heap", kHeap},
    Forbidden{"delete", "the device's heap", kHeap},
};
// Device libraries' own entry points: past HIP's headers they reach queues, packets and hostcalls.
constexpr std::string_view kLibraryPrefix = "__ockl_";

// Which tokens stand within [[...]] or __attribute__((...)).
std::vector<bool> within_attributes(const std::vector<Token>& tokens) {
  std::vector<bool> within(tokens.size(), false);
  int open = 0;  // brackets of the attribute that are open
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const auto& text = tokens[i].text;
    const bool brackets =
        text == "[" && i + 1 < tokens.size() && tokens[i + 1].text == "[" && open == 0;
    if (open == 0 && (text == "__attribute__" || text == "__declspec" || brackets)) {
      open = brackets ? 1 : 0;
      for (; i + 1 < tokens.size(); ++i) {
        const auto& next = tokens[i + 1].text;
        if (next == "(" || next == "[") ++open;
        if (next == ")" || next == "]") --open;
        within[i + 1] = true;
        if (open == 0) {
          ++i;
          break;
        }
      }
    }
  }
  return within;
}

bool applies(const Forbidden& forbidden, const Token& token, bool within_attribute) {
  std::string_view text = token.text;
  if (forbidden.where == Where::anywhere) return text == forbidden.name;
  if (forbidden.where == Where::line_start) {
    return text == forbidden.name && token.starts_line && token.depth == 0;
  }
  // Attributes may be spelled __used__ as well.
  if (text.size() > 4 && text.starts_with("__") && text.ends_with("__")) {
    text = text.substr(2, text.size() - 4);
  }
  return within_attribute && text == forbidden.name;
}

std::optional<Refusal> check_names(const Scan& candidate, const Scan& original) {
  std::set<std::string> known;
  for (const auto& token : original.tokens) known.insert(token.text);
  const auto within = within_attributes(candidate.tokens);
  for (std::size_t i = 0; i < candidate.tokens.size(); ++i) {
    const auto& token = candidate.tokens[i];
    if (known.contains(token.text)) continue;
    for (const auto& forbidden : kForbidden) {
      if (!applies(forbidden, token, within[i])) continue;
      return Refusal{
          std::string("the candidate's text uses ") + forbidden.why + " (" + token.text + ")",
          forbidden.attack, token.line};
    }
    if (token.text.starts_with(kLibraryPrefix)) {
      return Refusal{"the candidate's text calls the device library itself (" + token.text + ")",
                     kHarness, token.line};
    }
  }
  return std::nullopt;
}

// The tokens of the line of the directive that begins at `at`.
std::vector<std::string> directive_at(const std::vector<Token>& tokens, std::size_t at) {
  std::vector<std::string> words;
  for (std::size_t i = at; i < tokens.size() && (i == at || !tokens[i].starts_line); ++i) {
    words.push_back(tokens[i].text);
  }
  return words;
}

std::set<std::vector<std::string>> directives_of(const Scan& scan) {
  std::set<std::vector<std::string>> found;
  for (std::size_t i = 0; i < scan.tokens.size(); ++i) {
    if (scan.tokens[i].text == "#") found.insert(directive_at(scan.tokens, i));
  }
  return found;
}

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

// One declaration outside of braces; those within namespaces and extern "C" {} count as outside.
std::vector<std::vector<std::string>> declarations_of(const Scan& scan) {
  std::vector<std::vector<std::string>> found;
  std::vector<std::string> words;
  int level = 0;  // how many such braces are open
  const auto end = [&] {
    if (!words.empty()) found.push_back(std::move(words));
    words.clear();
  };
  const auto has = [&](const char* word) { return std::ranges::find(words, word) != words.end(); };
  const auto& tokens = scan.tokens;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const auto& token = tokens[i];
    if (token.text == "#") {  // directives are judged elsewhere
      i += directive_at(tokens, i).size() - 1;
      continue;
    }
    if (token.text == "}" && token.depth < level) {
      end();
      --level;
      continue;
    }
    const bool outside = token.depth == level;
    const bool linkage = words.size() == 2 && words[0] == "extern" && words[1] == "\"";
    if (outside && token.text == "{" && !has("(") && (has("namespace") || linkage)) {
      words.clear();
      ++level;
      continue;
    }
    words.push_back(token.text);
    if (!outside) continue;
    // What follows the brace of a type may declare a variable of it.
    const bool type = has("struct") || has("class") || has("union") || has("enum");
    if (token.text == ";" || (token.text == "}" && !(type && !has("(")))) end();
  }
  end();
  return found;
}

bool is_device(const std::vector<std::string>& words) {
  static const std::set<std::string> device = {"__global__", "__device__", "__constant__",
                                               "__shared__"};
  static const std::set<std::string> attributes = {"global", "device", "constant", "shared"};
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (device.contains(words[i])) return true;
    // As the preprocessor leaves them.
    if (i >= 3 && attributes.contains(words[i]) && words[i - 3] == "__attribute__") return true;
  }
  return false;
}

// Produces no code or data of the host by itself.
bool is_codeless(const std::vector<std::string>& words) {
  static const std::set<std::string> first = {"using", "typedef", "static_assert", "namespace",
                                              "concept"};
  if (words == std::vector<std::string>{";"} || first.contains(words.front())) return true;
  const auto has = [&](const char* word) { return std::ranges::find(words, word) != words.end(); };
  if (has("constexpr")) return true;
  const auto type = std::ranges::find_if(words, [](const auto& word) {
    return word == "struct" || word == "class" || word == "union" || word == "enum";
  });
  if (type == words.end()) return has("using") || has("concept");
  // A type alone: declared or defined, nothing behind its brace.
  const auto close = std::find(words.rbegin(), words.rend(), "}");
  if (close == words.rend()) return !has("(") && !has("=");
  return close == words.rbegin() + 1 && words.back() == ";";
}

// Each declaration must be of the device, or produce no code by itself, or be the original's.
std::optional<Refusal> check_declarations(const Scan& candidate, const Scan& original) {
  const auto known = declarations_of(original);
  for (const auto& words : declarations_of(candidate)) {
    if (is_device(words) || is_codeless(words) || std::ranges::find(known, words) != known.end()) {
      continue;
    }
    std::string text;
    for (std::size_t i = 0; i < std::min<std::size_t>(words.size(), 6); ++i) text += words[i] + " ";
    return Refusal{"the candidate's text declares something that is not of the device: " + text,
                   kHost};
  }
  return std::nullopt;
}

// A variable of the program's, or a function, that the candidate only names: not the original's.
std::optional<Refusal> check_externs(const Scan& candidate, const Scan& original) {
  const auto known = declarations_of(original);
  for (const auto& words : declarations_of(candidate)) {
    const bool defines = std::ranges::find(words, "{") != words.end();
    const bool lds = std::ranges::find(words, "__shared__") != words.end() ||
                     std::ranges::find(words, "shared") != words.end();
    if (words.front() != "extern" || defines || lds ||
        std::ranges::find(known, words) != known.end()) {
      continue;
    }
    return Refusal{"the candidate's text reaches for another symbol of the program",
                   "3, 5: state outside of the kernel"};
  }
  return std::nullopt;
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
  const auto known = scan(original);
  if (auto refusal = check_directives(text, known)) return refusal;
  if (auto refusal = check_names(text, known)) return refusal;
  if (auto refusal = check_static_members(text)) return refusal;
  if (auto refusal = check_externs(text, known)) return refusal;
  return check_declarations(text, known);
}

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
    if (word && at(i + 1) == "(" && !asks && !before_parenthesis.contains(token)) {
      return refuse("calls " + token);
    }
    if (token == "asm" || token == "new" || token == "delete" || token == "throw") {
      return refuse("uses " + token);
    }
  }
  return std::nullopt;
}

}  // namespace geak::replay
