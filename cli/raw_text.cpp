#include "cli/raw_text.h"

#include <clang/Basic/LangOptions.h>
#include <clang/Lex/Lexer.h>

#include <algorithm>
#include <set>
#include <vector>

namespace geak::cli {
namespace {

struct RawToken {
  std::string text;
  std::size_t offset = 0;
  bool starts_line = false;
  bool is_hash = false, is_number = false, is_word = false;
  bool in_pieces = false;  // continued lines or trigraphs within it
};

clang::LangOptions language() {
  clang::LangOptions options;
  options.CPlusPlus = options.CPlusPlus11 = options.CPlusPlus17 = options.CPlusPlus20 = true;
  options.LineComment = options.Digraphs = options.RawStringLiterals = true;
  options.Trigraphs = true;  // a flag of the compiler's may turn them on
  return options;
}

std::vector<RawToken> tokens_of(std::string_view source) {
  const std::string text(source);  // the lexer wants a zero behind it
  const auto options = language();
  clang::Lexer lexer(clang::SourceLocation(), options, text.data(), text.data(),
                     text.data() + text.size());
  std::vector<RawToken> tokens;
  for (clang::Token token;;) {
    lexer.LexFromRawLexer(token);
    if (token.is(clang::tok::eof)) return tokens;
    RawToken found;
    found.offset = lexer.getCurrentBufferOffset() - token.getLength();
    found.text = text.substr(found.offset, token.getLength());
    found.starts_line = token.isAtStartOfLine();
    found.is_hash = token.is(clang::tok::hash);
    found.is_number = token.is(clang::tok::numeric_constant);
    found.is_word = token.is(clang::tok::raw_identifier);
    found.in_pieces = token.needsCleaning();
    tokens.push_back(std::move(found));
  }
}

RawTextProblem problem_at(std::string_view source, std::size_t offset, std::string why) {
  RawTextProblem problem;
  const auto before = source.substr(0, offset);
  problem.line = 1 + static_cast<unsigned>(std::ranges::count(before, '\n'));
  const auto begin = before.rfind('\n') + 1;  // 0 where there is none
  problem.text = source.substr(begin, std::min(source.find('\n', begin), source.size()) - begin);
  problem.why = std::move(why);
  return problem;
}

// A directive that the preprocessor follows and leaves no trace of.
std::string why_directive(const RawToken& word) {
  if (word.is_number || word.text == "line") return "a line marker, which says whose text follows";
  if (word.text == "embed") return "an #embed, which brings in another file";
  if (word.in_pieces) return "a directive whose name is continued on another line";
  return "";
}

const std::set<std::string>& names_of_surroundings() {
  static const std::set<std::string> names = {
      "__DATE__",      "__TIME__",           "__TIMESTAMP__", "__FILE__",    "__FILE_NAME__",
      "__BASE_FILE__", "__has_include_next", "__has_include", "__has_embed", "__builtin_FILE"};
  return names;
}

}  // namespace

std::optional<RawTextProblem> check_raw_text(std::string_view source, std::string_view original) {
  std::set<std::string> known;
  for (auto& token : tokens_of(original)) known.insert(std::move(token.text));
  const auto tokens = tokens_of(source);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const auto& token = tokens[i];
    if (token.is_hash && token.starts_line && i + 1 < tokens.size() && !tokens[i + 1].starts_line) {
      const auto why = why_directive(tokens[i + 1]);
      if (!why.empty()) return problem_at(source, token.offset, why);
    }
    if (token.is_word && names_of_surroundings().contains(token.text) &&
        !known.contains(token.text)) {
      return problem_at(source, token.offset,
                        token.text + ", which depends on where or when it is compiled");
    }
  }
  return std::nullopt;
}

}  // namespace geak::cli
