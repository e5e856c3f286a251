#include "replay/gates/unit_text.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <system_error>

namespace geak::replay {
namespace {

struct Marker {
  std::string file;
  unsigned line = 0;
  bool system = false;  // flag 3
  bool enters = false;  // flag 1
};

// "# 12 \"file\" 1 3"; false for any other line.
bool read_marker(std::string_view line, Marker& marker) {
  if (!line.starts_with("# ") || line.size() < 3 || line[2] < '0' || line[2] > '9') return false;
  const auto open = line.find('"'), close = line.rfind('"');
  if (open == std::string_view::npos || close == open) return false;
  marker.file = line.substr(open + 1, close - open - 1);
  marker.line = static_cast<unsigned>(std::strtoul(line.data() + 2, nullptr, 10));
  const auto flags = line.substr(close + 1);
  marker.system = flags.find('3') != std::string_view::npos;
  marker.enters = flags.find('1') != std::string_view::npos;
  return true;
}

// One name for a file, however it was reached.
class FileNames {
 public:
  const std::string& of(const std::string& file) {
    auto [entry, is_new] = names_.try_emplace(file);
    if (!is_new) return entry->second;
    std::error_code error;
    const auto name = std::filesystem::weakly_canonical(file, error);
    entry->second = error ? file : name.string();
    return entry->second;
  }

 private:
  std::map<std::string, std::string> names_;
};

}  // namespace

std::string UnitText::place_of(std::size_t line) const {
  if (line == 0 || line > places.size()) return "";
  const auto& place = places[line - 1];
  return std::filesystem::path(place.file).filename().string() + ":" + std::to_string(place.line);
}

UnitText own_text(std::string_view preprocessed) {
  UnitText text;
  Marker at;
  std::string main_file;
  FileNames names;
  for (std::size_t begin = 0; begin < preprocessed.size();) {
    const auto end = std::min(preprocessed.find('\n', begin), preprocessed.size());
    const auto line = preprocessed.substr(begin, end - begin);
    begin = end + 1;
    Marker marker;
    if (!read_marker(line, marker)) {
      if (!at.system && !at.file.starts_with('<')) {
        text.own += std::string(line) + "\n";
        text.places.push_back({at.file, at.line});
      }
      ++at.line;
      continue;
    }
    at = std::move(marker);
    if (main_file.empty()) main_file = at.file;
    // A header that includes what a macro names may reach the source again, as a system's text.
    const bool is_main = names.of(at.file) == names.of(main_file);
    at.system = at.system && !is_main;
    if (at.system || !at.enters || at.file.starts_with('<') || is_main) continue;
    if (std::ranges::find(text.includes, at.file) == text.includes.end()) {
      text.includes.push_back(at.file);
    }
  }
  return text;
}

}  // namespace geak::replay
