#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace clang {
class ASTContext;
class SourceManager;
class CharSourceRange;
class SourceRange;
class Stmt;
}  // namespace clang

namespace geak::clang_tool {

/// A stretch of one file. Lines and columns count from 1 (columns in bytes); offsets from 0. The
/// end is exclusive: one past the last character.
struct SourceSpan {
  std::string file;  ///< absolute path, as spelled by whoever opened it
  unsigned begin_line = 0;
  unsigned begin_column = 0;
  unsigned end_line = 0;
  unsigned end_column = 0;
  unsigned begin_offset = 0;
  unsigned end_offset = 0;

  bool valid() const { return !file.empty(); }
  auto operator<=>(const SourceSpan&) const = default;
};

/// Where `range` (of tokens) stands in its file. What comes out of a macro stands where the macro
/// is used. Relative names are taken from `directory`. Invalid for code that is in no file.
SourceSpan span_of(const clang::SourceManager& sources, clang::SourceRange range,
                   const std::string& directory);
SourceSpan span_of(const clang::SourceManager& sources, clang::CharSourceRange range,
                   const std::string& directory);

/// The source text of a statement as its author wrote it; where no stretch of the file spells it (a
/// macro builds it), as clang prints it.
std::string text_of(const clang::ASTContext& context, const clang::Stmt& statement);

void to_json(nlohmann::json& json, const SourceSpan& span);

}  // namespace geak::clang_tool
