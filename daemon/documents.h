// Open documents as the editor shows them, which may be ahead of what is saved.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace geak::daemon {

// Kernels are found in the saved file; the editor's text may have moved them since. So a position
// from the saved file is carried over by the kernel's name, nearest line first.
class Documents {
 public:
  void open(const std::string& file, std::string text);
  void close(const std::string& file);

  // Line (0-based) of `name` as a whole word nearest to `saved_line` in the editor's text; the same
  // line when the file isn't open; nothing when the name is gone.
  std::optional<int> line_of(const std::string& file, const std::string& name,
                             int saved_line) const;

  // The identifier under a position (both 0-based), empty when there is none. UTF-16 columns agree
  // with bytes on the ASCII lines that kernel names stand in.
  std::string word_at(const std::string& file, int line, int column) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::string> texts_;
};

}  // namespace geak::daemon
