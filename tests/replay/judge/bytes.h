// Memory of a launch from the values that a test names, and back.
#pragma once

#include <cstddef>
#include <cstring>
#include <vector>

namespace geak::replay {

template <typename T>
std::vector<std::byte> bytes(const std::vector<T>& values) {
  std::vector<std::byte> result(values.size() * sizeof(T));
  std::memcpy(result.data(), values.data(), result.size());
  return result;
}

template <typename T>
std::vector<T> values(const std::vector<std::byte>& contents) {
  std::vector<T> result(contents.size() / sizeof(T));
  std::memcpy(result.data(), contents.data(), contents.size());
  return result;
}

}  // namespace geak::replay
