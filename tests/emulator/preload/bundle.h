// Offload bundles made by hand.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace geak::emulator {

inline void append(std::string& text, std::uint64_t number) {
  text.append(reinterpret_cast<const char*>(&number), sizeof number);
}

// Offload bundles of these entries: an id each, and its contents.
inline std::string bundle(const std::vector<std::pair<std::string, std::string>>& entries) {
  std::string text = "__CLANG_OFFLOAD_BUNDLE__";
  append(text, entries.size());
  std::size_t at = text.size();
  for (const auto& [id, content] : entries) at += 24 + id.size();
  std::string contents;
  for (const auto& [id, content] : entries) {
    append(text, at + contents.size());
    append(text, content.size());
    append(text, id.size());
    text += id;
    contents += content;
  }
  return text + contents;
}

}  // namespace geak::emulator
