#include "cmake-module/selection.h"

#include <fstream>
#include <stdexcept>
#include <unordered_map>

namespace geak::cmake_module {
namespace {

namespace fs = std::filesystem;

bool is_digest(const std::string& text) {
  return text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

[[noreturn]] void refuse(const fs::path& file, const std::string& reason) {
  throw std::runtime_error(file.string() + ": " + reason);
}

std::string real_path(const std::string& path) {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(path, error);
  return error ? path : real.string();
}

// Options whose value is a path that could equal a source's without being the source to compile.
bool takes_other_path(const std::string& option) {
  return option == "-o" || option == "-MF" || option == "-MT" || option == "-MQ" ||
         option == "-include" || option == "-I" || option == "-isystem" || option == "-iquote";
}

}  // namespace

Selection read_selection(const fs::path& file) {
  Selection selection;
  std::ifstream input(file);
  std::string line;
  while (std::getline(input, line)) {
    if (line.empty()) continue;
    const size_t equals = line.find('=');
    if (equals == std::string::npos) refuse(file, "a line without '=': " + line);
    const std::string key = line.substr(0, equals);
    const std::string value = line.substr(equals + 1);
    if (key == "version") {
      if (value != "1") refuse(file, "version " + value + " is unknown to this geak-cc");
    } else if (key == "variant") {
      if (!is_digest(value)) refuse(file, "variant is no digest: " + value);
      selection.variant = value;
    } else if (key == "overlay") {
      selection.overlay = value;
    } else if (key == "file") {
      selection.needed.emplace_back(value);
    }
  }
  if (!selection.variant.empty() && selection.overlay.empty()) {
    refuse(file, "a variant without an overlay");
  }
  return selection;
}

std::optional<IndexEntry> find_source(const fs::path& index,
                                      const std::vector<std::string>& arguments) {
  std::ifstream input(index);
  if (!input) throw std::runtime_error("cannot read " + index.string());
  std::unordered_map<std::string, std::string> by_real_path;
  std::string line;
  while (std::getline(input, line)) {
    const size_t tab = line.find('\t');
    if (tab == std::string::npos) continue;
    by_real_path[real_path(line.substr(0, tab))] = line.substr(tab + 1);
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].empty() || arguments[i][0] == '-') {
      if (takes_other_path(arguments[i])) ++i;
      continue;
    }
    const auto found = by_real_path.find(real_path(arguments[i]));
    if (found != by_real_path.end()) return IndexEntry{arguments[i], found->second};
  }
  return std::nullopt;
}

}  // namespace geak::cmake_module
