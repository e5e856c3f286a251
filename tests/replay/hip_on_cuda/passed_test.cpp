#include "replay/hip_on_cuda/hip/detail/passed.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <utility>

namespace {

struct Stream;
enum class Kind { to_device };

// As CUDA's: overloaded, with templates of its own, with defaults.
Stream* record(int, Stream* stream = nullptr) { return stream; }
template <typename T>
std::size_t allocate(T** pointer, std::size_t bytes) {
  *pointer = nullptr;
  return bytes;
}
template <typename Symbol>
const void* copy(const Symbol& symbol, const void*, std::size_t, Kind) {
  return &symbol;
}

template <typename... Arguments>
auto forwarded_record(Arguments&&... arguments) {
  return record(geak_hip_on_cuda::pass<Arguments>(arguments)...);
}
template <typename... Arguments>
auto forwarded_allocate(Arguments&&... arguments) {
  return allocate(geak_hip_on_cuda::pass<Arguments>(arguments)...);
}
template <typename... Arguments>
auto forwarded_copy(Arguments&&... arguments) {
  return copy(geak_hip_on_cuda::pass<Arguments>(arguments)...);
}

TEST(Passed, NullAndZeroAreStreams) {
  EXPECT_EQ(forwarded_record(1, NULL), nullptr);
  EXPECT_EQ(forwarded_record(1, 0), nullptr);
  EXPECT_EQ(forwarded_record(1), nullptr);
  auto* stream = reinterpret_cast<Stream*>(8);
  EXPECT_EQ(forwarded_record(1, stream), stream);
}

TEST(Passed, NumbersAndPointersAreThemselves) {
  float* pointer = nullptr;
  const int count = 3;
  EXPECT_EQ(forwarded_allocate(&pointer, count * sizeof(float)), 12U);
  EXPECT_EQ(forwarded_allocate(&pointer, 12), 12U);
  EXPECT_EQ(forwarded_allocate(&pointer, count), 3U);
}

TEST(Passed, SymbolsKeepTheirAddress) {
  static int symbol = 7;
  const int source = 1;
  EXPECT_EQ(forwarded_copy(symbol, &source, sizeof source, Kind::to_device), &symbol);
}

}  // namespace
