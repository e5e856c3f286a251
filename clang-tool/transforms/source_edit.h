#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <clang/Basic/SourceLocation.h>

namespace clang {
class Decl;
class SourceManager;
class Stmt;
}  // namespace clang

namespace geak::clang_tool::transforms {

/// A stretch of a file's text: offsets from 0, the end exclusive.
struct TextRange {
  unsigned begin = 0;
  unsigned end = 0;

  bool operator==(const TextRange&) const = default;
};

/// One file's text as a parser saw it, with the ranges that AST nodes cover in it.
class SourceText {
 public:
  /// `location` names the file: any location spelled in it.
  SourceText(const clang::SourceManager& sources, clang::SourceLocation location);

  std::string_view text() const { return text_; }
  std::string text(TextRange range) const;

  /// Nothing for what is not spelled whole in this file: another file, a part of a macro's body.
  /// What a macro's use spells whole is the use.
  std::optional<TextRange> range(clang::SourceRange tokens) const;
  std::optional<TextRange> range(const clang::Stmt& statement) const;
  /// The statement with its semicolon, where it has one.
  std::optional<TextRange> statement_range(const clang::Stmt& statement) const;
  /// Offset of a location spelled in this file outside macros.
  std::optional<unsigned> offset(clang::SourceLocation location) const;
  /// Text of an expression; empty where `range` has none.
  std::string text(const clang::Stmt& statement) const;

 private:
  const clang::SourceManager& sources_;
  clang::FileID file_;
  std::string_view text_;
};

/// Replacements in one text. Ranges may nest only if equal ones do not differ; an outer replacement
/// swallows those within it.
class TextEdits {
 public:
  void replace(TextRange range, std::string text);
  void insert(unsigned offset, std::string text) { replace({offset, offset}, std::move(text)); }
  bool empty() const { return edits_.empty(); }

  /// `source` from `range.begin` to `range.end` with the replacements that lie in it.
  std::string apply(std::string_view source, TextRange range) const;

 private:
  struct Edit {
    TextRange range;
    std::string text;
  };
  std::vector<Edit> edits_;
};

}  // namespace geak::clang_tool::transforms
