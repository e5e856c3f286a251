#pragma once

#include <map>
#include <string>
#include <vector>

#include <clang/Basic/SourceLocation.h>

#include "clang-tool/translation_unit.h"

namespace geak::clang_tool {

/// Changes to the text of files, gathered first and applied at once.
class SourceEdits {
 public:
  explicit SourceEdits(const TranslationUnit& unit) : unit_(unit) {}

  /// Inserts whole lines after `place` (a place in a file), and a #line that keeps the numbers of
  /// what follows. The same text at the same place is inserted once.
  void insert_lines_after(clang::SourceLocation place, const std::string& lines);
  /// Puts `text`, of no more lines than it replaces, in place of `range`; missing line breaks are
  /// added, so that the numbers of what follows stay.
  void replace(clang::CharSourceRange range, const std::string& text);
  /// Inserts whole lines before all else of every file that has edits.
  void begin_files_with(const std::string& lines);

  /// Absolute path (as spelled) to new text, of the files that have edits.
  std::map<std::string, std::string> result() const;

 private:
  struct Edit {
    unsigned begin, end;
    std::string text;
    bool operator==(const Edit&) const = default;
  };
  void add(clang::FileID file, Edit edit);

  const TranslationUnit& unit_;
  std::map<clang::FileID, std::vector<Edit>> edits_;
  std::string first_lines_;
};

}  // namespace geak::clang_tool
