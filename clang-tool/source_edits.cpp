#include "clang-tool/source_edits.h"

#include <clang/Basic/SourceManager.h>

#include <algorithm>

namespace geak::clang_tool {
namespace {

std::string with_newline(std::string lines) {
  if (!lines.empty() && lines.back() != '\n') lines += '\n';
  return lines;
}

/// A byte order mark must stay first.
unsigned begin_of_text(llvm::StringRef buffer) {
  return buffer.starts_with("\xEF\xBB\xBF") ? 3 : 0;
}

}  // namespace

void SourceEdits::add(clang::FileID file, Edit edit) {
  auto& edits = edits_[file];
  if (std::ranges::find(edits, edit) == edits.end()) edits.push_back(std::move(edit));
}

void SourceEdits::insert_lines_after(clang::SourceLocation place, const std::string& lines) {
  const auto [file, offset] = unit_.sources().getDecomposedLoc(place);
  // Without a file's name the line directive keeps the name, however the compiler spelled it.
  const unsigned line = unit_.sources().getPresumedLoc(place).getLine();
  add(file, {offset, offset, "\n" + with_newline(lines) + "#line " + std::to_string(line) + "\n"});
}

void SourceEdits::replace(clang::CharSourceRange range, const std::string& text) {
  const auto [file, begin] = unit_.sources().getDecomposedLoc(range.getBegin());
  const unsigned end = unit_.sources().getFileOffset(range.getEnd());
  const llvm::StringRef old = unit_.sources().getBufferData(file).slice(begin, end);
  const auto had = static_cast<std::size_t>(old.count('\n'));
  const auto has = static_cast<std::size_t>(std::ranges::count(text, '\n'));
  add(file, {begin, end, text + std::string(had > has ? had - has : 0, '\n')});
}

void SourceEdits::begin_files_with(const std::string& lines) { first_lines_ = with_newline(lines); }

std::map<std::string, std::string> SourceEdits::result() const {
  std::map<std::string, std::string> files;
  for (const auto& [file, unordered] : edits_) {
    const auto entry = unit_.sources().getFileEntryRefForID(file);
    if (!entry) continue;
    std::vector<Edit> edits = unordered;
    std::ranges::sort(edits, {}, [](const Edit& edit) { return std::pair(edit.begin, edit.end); });
    const llvm::StringRef buffer = unit_.sources().getBufferData(file);
    const unsigned start = begin_of_text(buffer);
    std::string text = buffer.take_front(start).str();
    if (!first_lines_.empty()) text += first_lines_ + "#line 1\n";
    unsigned done = start;
    for (const Edit& edit : edits) {
      if (edit.begin < done) continue;  // within a stretch that another edit replaced
      text += buffer.slice(done, edit.begin).str() + edit.text;
      done = edit.end;
    }
    text += buffer.drop_front(done).str();
    const std::filesystem::path path =
        std::filesystem::path(unit_.command().directory) / entry->getName().str();
    files[path.lexically_normal().string()] = std::move(text);
  }
  return files;
}

}  // namespace geak::clang_tool
