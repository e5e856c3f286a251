#include "replay/gates/unit_text.h"

#include <algorithm>

namespace geak::replay {
namespace {

struct Marker {
  std::string file;
  bool system = false;  // flag 3
  bool enters = false;  // flag 1
};

// "# 12 \"file\" 1 3"; false for any other line.
bool read_marker(std::string_view line, Marker& marker) {
  if (!line.starts_with("# ") || line.size() < 3 || line[2] < '0' || line[2] > '9') return false;
  const auto open = line.find('"'), close = line.rfind('"');
  if (open == std::string_view::npos || close == open) return false;
  marker.file = line.substr(open + 1, close - open - 1);
  const auto flags = line.substr(close + 1);
  marker.system = flags.find('3') != std::string_view::npos;
  marker.enters = flags.find('1') != std::string_view::npos;
  return true;
}

}  // namespace

UnitText own_text(std::string_view preprocessed) {
  UnitText text;
  Marker at;
  std::string main_file;
  for (std::size_t begin = 0; begin < preprocessed.size();) {
    const auto end = std::min(preprocessed.find('\n', begin), preprocessed.size());
    const auto line = preprocessed.substr(begin, end - begin);
    begin = end + 1;
    Marker marker;
    if (!read_marker(line, marker)) {
      if (!at.system && !at.file.starts_with('<')) text.own += std::string(line) + "\n";
      continue;
    }
    at = std::move(marker);
    if (main_file.empty()) main_file = at.file;
    if (at.system || !at.enters || at.file.starts_with('<') || at.file == main_file) continue;
    if (std::ranges::find(text.includes, at.file) == text.includes.end()) {
      text.includes.push_back(at.file);
    }
  }
  return text;
}

}  // namespace geak::replay
