#include <algorithm>
#include <set>

#include "replay/gates/text_rules.h"

namespace geak::replay {
namespace {

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

std::optional<Refusal> check_kinds(const Scan& candidate, const Scan& original) {
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

std::optional<Refusal> check_declarations(const Scan& candidate, const Scan& original) {
  if (auto refusal = check_static_members(candidate)) return refusal;
  if (auto refusal = check_externs(candidate, original)) return refusal;
  return check_kinds(candidate, original);
}

}  // namespace geak::replay
