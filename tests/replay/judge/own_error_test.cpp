#include "replay/judge/own_error.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "tests/replay/judge/bytes.h"

namespace geak::replay {
namespace {

// Every element times 1 + `by`.
std::vector<std::byte> scaled(const std::vector<float>& values, double by) {
  std::vector<float> result;
  for (const float value : values) result.push_back(static_cast<float>(value * (1 + by)));
  return bytes(result);
}

// An error's spans need somebody who holds what they look at.
struct Held {
  std::vector<std::byte> expected, up, down;
  std::vector<std::byte> before = std::vector<std::byte>(expected.size());
  OwnError error{before, expected, ElementType::f32, up, down, {}};
};

bool allowed(const OwnError& error, const std::vector<float>& expected,
             const std::vector<float>& found) {
  const auto before = bytes(std::vector<float>(expected.size(), -12345.0f));
  return !compare(before, bytes(expected), bytes(found), ElementType::f32, error.allowance());
}

TEST(OwnError, ASentinelWidensNoOther) {
  const std::vector<float> expected = {3.4e38f, 3.4e38f, 1, 2, 3, 4};
  const auto exact = bytes(expected);
  const auto up = scaled({0, 0, 1, 2, 3, 4}, 1e-6);
  auto above = exact;
  std::memcpy(above.data() + 8, up.data() + 8, 16);
  const Held held{exact, above, exact};
  EXPECT_TRUE(allowed(held.error, expected, {3.4e38f, 3.4e38f, 1.000002f, 2, 3, 4}));
  EXPECT_FALSE(allowed(held.error, expected, {3.4e38f, 3.4e38f, 0, 2, 3, 4}));
  EXPECT_FALSE(allowed(held.error, expected, {3.4e38f, 3.4e38f, 1.001f, 2, 3, 4}));
}

TEST(OwnError, SmallElementsAreResultsToo) {
  const std::vector<float> expected = {1e3f, 1e2f, 1e-8f, 2e-8f, 1e-7f, 1e-6f};
  const Held held{bytes(expected), scaled(expected, 1e-7), scaled(expected, -1e-7)};
  EXPECT_FALSE(allowed(held.error, expected, {1e3f, 1e2f, 0, 2e-8f, 1e-7f, 1e-6f}));
}

TEST(OwnError, WhatCancelsMayBeOffByWhatMovesIt) {
  // The second is a difference of large numbers: it moves by far more than its own last place.
  const std::vector<float> expected = {100, 1e-6f, 50, 70};
  const Held held{bytes(expected), bytes<float>({100.00001f, 6e-6f, 50.00001f, 70.00001f}),
                  bytes(expected)};
  EXPECT_TRUE(allowed(held.error, expected, {100, 9e-6f, 50, 70}));
  EXPECT_FALSE(allowed(held.error, expected, {100, 1e-3f, 50, 70}));
}

TEST(OwnError, AnIntegerInAFloatIsExact) {
  float seven, eight;
  const std::uint32_t words[] = {7, 8};
  std::memcpy(&seven, &words[0], 4);
  std::memcpy(&eight, &words[1], 4);
  const std::vector<float> expected = {100, seven, 50, seven};
  const Held held{bytes(expected), bytes<float>({100.0001f, seven, 50, seven}),
                  bytes<float>({99.9999f, seven, 50, seven})};
  EXPECT_TRUE(allowed(held.error, expected, {100.00005f, seven, 50, seven}));
  EXPECT_FALSE(allowed(held.error, expected, {100, eight, 50, seven}));
  float minus_one;
  const std::uint32_t ones = 0xffffffff;
  std::memcpy(&minus_one, &ones, 4);
  EXPECT_FALSE(allowed(held.error, {100, minus_one, 50, seven}, {100, NAN, 50, seven}));
  EXPECT_TRUE(allowed(held.error, {100, NAN, 50, seven}, {100, -NAN, 50, seven}));
}

// What a gate's tail becomes: ever smaller numbers, the last of them denormal.
TEST(OwnError, WhatUnderflowsIsOffByLastPlaces) {
  std::vector<float> expected;
  for (int i = 0; i < 40; ++i) expected.push_back(std::ldexp(1.25f, -100 - i));
  for (int i = 0; i < 100; ++i) expected.push_back(1);
  const Held still{bytes(expected), {}, {}};
  auto found = expected;
  found[30] += 0x1p-148f;  // 1.25 * 2^-130, of 2^-149 the last place
  EXPECT_TRUE(allowed(still.error, expected, found));
  found[30] = 0;
  EXPECT_FALSE(allowed(still.error, expected, found));
  // Without what leads down to them they are integers.
  expected.erase(expected.begin() + 10, expected.begin() + 28);
  const Held integers{bytes(expected), {}, {}};
  found = expected;
  found[20] += 0x1p-149f;
  EXPECT_FALSE(allowed(integers.error, expected, found));
}

// Sums of 1000: rounding to nearest is off by a thirtieth of what directed rounding is.
struct Sums {
  static constexpr std::size_t kCount = 4096;
  std::vector<float> exact, expected, up, down;
  std::mt19937_64 random{7};

  Sums() {
    for (std::size_t i = 0; i < kCount; ++i) {
      exact.push_back(100 + static_cast<float>(i % 100));
      expected.push_back(off(i, 5e-7));
      up.push_back(static_cast<float>(exact[i] * (1 + 3e-5) + exact[i] * 3e-7 * normal()));
      down.push_back(static_cast<float>(exact[i] * (1 - 3e-5) + exact[i] * 3e-7 * normal()));
    }
  }
  double normal() { return std::normal_distribution<double>()(random); }
  float off(std::size_t i, double by) { return static_cast<float>(exact[i] * (1 + by * normal())); }
  double excess_of(double error) {
    std::vector<float> found;
    for (std::size_t i = 0; i < kCount; ++i) found.push_back(off(i, error));
    const Held held{bytes(expected), bytes(up), bytes(down)};
    return *held.error.excess(bytes(found));
  }
};

TEST(OwnError, AnErrorWithinTheWorstCaseIsStillSeenInTheWhole) {
  Sums sums;
  EXPECT_LT(sums.excess_of(5e-7), 1.5);
  EXPECT_LT(sums.excess_of(1e-6), kMostExcess);
  EXPECT_GT(sums.excess_of(5e-6), kMostExcess);
}

TEST(OwnError, WhatWasNotWrittenHasNone) {
  const std::vector<float> expected = {1, 2, 3, 5e-20f, 5e-20f, 5e-20f, 5e-20f, 5e-20f};
  auto up = expected;
  for (std::size_t i = 0; i < up.size(); ++i) up[i] *= i < 3 ? 1.00001f : 1.0000001f;
  const auto held = bytes(expected), above = bytes(up);
  // All but the first three are as before the launch.
  auto before = held;
  std::fill_n(before.begin(), 12, std::byte{});
  const OwnError error(before, held, ElementType::f32, above, held, {});
  EXPECT_GT(error.allowance().relative, 1e-5);
}

TEST(OwnError, SaysNothingOfFewElementsOrWithoutDirectedRounding) {
  const auto few = bytes<float>({1, 2, 3}), up = bytes<float>({1.1f, 2.1f, 3.1f});
  const Held three{few, up, few}, undirected{few, {}, {}};
  EXPECT_FALSE(three.error.excess(up));
  EXPECT_FALSE(undirected.error.excess(up));
}

}  // namespace
}  // namespace geak::replay
