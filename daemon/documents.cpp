#include "daemon/documents.h"

#include <cctype>
#include <cstdlib>

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace geak::daemon {

namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

bool contains_word(llvm::StringRef line, llvm::StringRef word) {
  for (size_t at = line.find(word); at != llvm::StringRef::npos; at = line.find(word, at + 1)) {
    const bool starts = at == 0 || !is_word(line[at - 1]);
    const size_t end = at + word.size();
    const bool ends = end == line.size() || !is_word(line[end]);
    if (starts && ends) return true;
  }
  return false;
}

}  // namespace

void Documents::open(const std::string& file, std::string text) {
  std::lock_guard lock(mutex_);
  texts_[file] = std::move(text);
}

void Documents::close(const std::string& file) {
  std::lock_guard lock(mutex_);
  texts_.erase(file);
}

std::optional<int> Documents::line_of(const std::string& file, const std::string& name,
                                      int saved_line) const {
  std::lock_guard lock(mutex_);
  const auto found = texts_.find(file);
  if (found == texts_.end() || name.empty()) return saved_line;
  llvm::SmallVector<llvm::StringRef, 0> lines;
  llvm::StringRef(found->second).split(lines, '\n');
  std::optional<int> best;
  for (int i = 0; i < static_cast<int>(lines.size()); ++i) {
    if (best && std::abs(i - saved_line) >= std::abs(*best - saved_line)) continue;
    if (contains_word(lines[i], name)) best = i;
  }
  return best;
}

std::string Documents::word_at(const std::string& file, int line, int column) const {
  std::lock_guard lock(mutex_);
  const auto found = texts_.find(file);
  if (found == texts_.end() || line < 0 || column < 0) return {};
  llvm::SmallVector<llvm::StringRef, 0> lines;
  llvm::StringRef(found->second).split(lines, '\n');
  if (line >= static_cast<int>(lines.size())) return {};
  const auto text = lines[line];
  size_t begin = std::min<size_t>(column, text.size()), end = begin;
  while (begin > 0 && is_word(text[begin - 1])) --begin;
  while (end < text.size() && is_word(text[end])) ++end;
  return text.slice(begin, end).str();
}

}  // namespace geak::daemon
