#include "clang-tool/transforms/source_edit.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>

#include <algorithm>

namespace geak::clang_tool::transforms {

SourceText::SourceText(const clang::SourceManager& sources, clang::SourceLocation location)
    : sources_(sources), file_(sources.getFileID(sources.getExpansionLoc(location))) {
  text_ = sources.getBufferData(file_);
}

std::string SourceText::text(TextRange range) const {
  return std::string(text_.substr(range.begin, range.end - range.begin));
}

std::optional<unsigned> SourceText::offset(clang::SourceLocation location) const {
  if (location.isInvalid() || location.isMacroID()) return std::nullopt;
  const auto [file, offset] = sources_.getDecomposedLoc(location);
  if (file != file_) return std::nullopt;
  return offset;
}

std::optional<TextRange> SourceText::range(clang::SourceRange tokens) const {
  const clang::LangOptions language;
  const clang::CharSourceRange spelled = clang::Lexer::makeFileCharRange(
      clang::CharSourceRange::getTokenRange(tokens), sources_, language);
  if (spelled.isInvalid()) return std::nullopt;
  const auto begin = offset(spelled.getBegin());
  const auto end = offset(spelled.getEnd());
  if (!begin || !end || *end < *begin) return std::nullopt;
  return TextRange{*begin, *end};
}

std::optional<TextRange> SourceText::range(const clang::Stmt& statement) const {
  return range(statement.getSourceRange());
}

std::optional<TextRange> SourceText::statement_range(const clang::Stmt& statement) const {
  auto found = range(statement);
  if (!found) return std::nullopt;
  // Expressions end before their semicolon, declarations and compounds at their last token.
  std::size_t next = found->end;
  while (next < text_.size() && (text_[next] == ' ' || text_[next] == '\t' || text_[next] == '\n'))
    ++next;
  const bool takes_semicolon = llvm::isa<clang::Expr, clang::ReturnStmt, clang::BreakStmt,
                                         clang::ContinueStmt, clang::DoStmt>(&statement);
  if (takes_semicolon && next < text_.size() && text_[next] == ';')
    found->end = static_cast<unsigned>(next) + 1;
  // The last token of `for (...) f();` or `if (...) return;` is before the semicolon too.
  if (!takes_semicolon && text_[found->end - 1] != '}' && text_[found->end - 1] != ';' &&
      next < text_.size() && text_[next] == ';')
    found->end = static_cast<unsigned>(next) + 1;
  return found;
}

std::string SourceText::text(const clang::Stmt& statement) const {
  const auto found = range(statement);
  return found ? text(*found) : std::string();
}

void TextEdits::replace(TextRange range, std::string text) {
  for (const Edit& edit : edits_)
    if (edit.range == range && range.begin != range.end) return;
  edits_.push_back({range, std::move(text)});
}

std::string TextEdits::apply(std::string_view source, TextRange range) const {
  std::vector<const Edit*> within;
  for (const Edit& edit : edits_)
    if (edit.range.begin >= range.begin && edit.range.end <= range.end) within.push_back(&edit);
  // Outer before inner; insertions at one offset keep their order and come before a replacement.
  std::sort(within.begin(), within.end(), [](const Edit* a, const Edit* b) {
    if (a->range.begin != b->range.begin) return a->range.begin < b->range.begin;
    const bool a_inserts = a->range.end == a->range.begin;
    const bool b_inserts = b->range.end == b->range.begin;
    if (a_inserts != b_inserts) return a_inserts;
    if (a->range.end != b->range.end) return a->range.end > b->range.end;
    return a < b;  // they stand in one vector: the order in which they came
  });
  std::string result;
  unsigned at = range.begin;
  for (const Edit* edit : within) {
    if (edit->range.begin < at) continue;
    result += source.substr(at, edit->range.begin - at);
    result += edit->text;
    at = edit->range.end;
  }
  result += source.substr(at, range.end - at);
  return result;
}

}  // namespace geak::clang_tool::transforms
