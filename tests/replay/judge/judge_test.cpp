#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "replay/judge/compare.h"
#include "replay/judge/element_type.h"
#include "replay/judge/mutate.h"
#include "tests/replay/judge/bytes.h"

namespace geak::replay {
namespace {

TEST(ElementType, IsReadFromTypesAndGuessedFromData) {
  EXPECT_EQ(element_from_type("const float *__restrict"), ElementType::f32);
  EXPECT_EQ(element_from_type("unsigned char *"), ElementType::u8);
  EXPECT_EQ(element_from_type("__half *"), ElementType::f16);
  EXPECT_FALSE(element_from_type("int"));
  EXPECT_EQ(guess_element(bytes<float>({1.5f, -3, 0, 7e5f})), ElementType::f32);
  EXPECT_EQ(guess_element(bytes<double>({1.1, -3.3, 0.7, 7e5 / 3})), ElementType::f64);
  EXPECT_EQ(guess_element(bytes<int>({1, 2, 300, 0})), ElementType::u32);
  EXPECT_EQ(guess_element(bytes<std::int64_t>({1, 20000, 300, 1})), ElementType::u64);
}

// Drawn as anything else, halves would be bits: NaN, infinities, numbers that no program has.
TEST(ElementType, SmallNumbersAreWhatTheKernelSaysWhereTheirBytesAgree) {
  const auto halves = bytes<_Float16>({_Float16(1.5), _Float16(-0.25), _Float16(3), _Float16(0)});
  EXPECT_EQ(guess_element(halves, ElementType::f16), ElementType::f16);
  EXPECT_EQ(guess_element(halves, ElementType::u32), guess_element(halves));
  const auto bfloats = bytes<std::uint16_t>({0x3fc0, 0xbe80, 0x4040, 0});
  EXPECT_EQ(guess_element(bfloats, ElementType::bf16), ElementType::bf16);
  // Indices, and the bits of a float, behind a pointer to halves.
  EXPECT_EQ(guess_element(bytes<int>({-1, -1, -1, 5}), ElementType::f16), ElementType::u32);
  std::vector<float> floats;
  for (int i = 1; i < 200; ++i) floats.push_back(std::sin(float(i)));
  for (const auto small : {ElementType::f16, ElementType::bf16})
    EXPECT_EQ(guess_element(bytes(floats), small), ElementType::f32);
}

TEST(Mutation, KeepsWhatDataLooksLike) {
  std::mt19937_64 random(1);
  auto indices = bytes<int>({5, 0, 9, 3, 3, 7, 1, 2});
  EXPECT_TRUE(make_fresh(indices, ElementType::u32, Freshness::drawn, {}, random));
  for (const int index : values<int>(indices)) {
    EXPECT_GE(index, 0);
    EXPECT_LE(index, 9);
  }
  auto rows = bytes<int>({0, 3, 3, 8, 12});
  EXPECT_FALSE(make_fresh(rows, ElementType::u32, Freshness::drawn, {}, random));
  auto sorted = bytes<float>({0.5f, 1, 2.5f, 8});
  EXPECT_TRUE(make_fresh(sorted, ElementType::f32, Freshness::drawn, {}, random));
  EXPECT_TRUE(std::ranges::is_sorted(values<float>(sorted)));
}

TEST(Mutation, KeepsStoredAddresses) {
  std::mt19937_64 random(2);
  std::vector<std::uint64_t> words = {7, 0x7f0000001000, 9, 12, 5, 1};
  auto contents = bytes(words);
  const std::vector<std::uint64_t> pinned = {8};
  make_fresh(contents, ElementType::u64, Freshness::drawn, pinned, random);
  EXPECT_EQ(values<std::uint64_t>(contents)[1], 0x7f0000001000u);
}

TEST(Compare, IsExactForIntegersAndAllowsForFloats) {
  const auto before = bytes<float>({0, 0}), original = bytes<float>({1, 2}),
             near = bytes<float>({1, 2.000001f});
  EXPECT_FALSE(compare(before, original, near, ElementType::f32, {1e-5, 0}));
  EXPECT_TRUE(compare(before, original, near, ElementType::f32, {}));
  EXPECT_TRUE(compare(before, original, near, ElementType::u32, {1e-5, 0}));
}

TEST(Compare, WhatTheOriginalLeftMustStay) {
  const auto before = bytes<float>({1, 2}), changed = bytes<float>({1, 2.000001f});
  const auto difference = compare(before, before, changed, ElementType::f32, {1, 1});
  ASSERT_TRUE(difference);
  EXPECT_TRUE(attack_of(*difference).starts_with("14"));
}

TEST(Compare, NamesAttacks) {
  const auto before = bytes<float>({9, 9, 9, 9}), original = bytes<float>({1, 2, 3, 4});
  const auto named = [&](const std::vector<float>& found) {
    const auto difference = compare(before, original, bytes(found), ElementType::f32, {1e-5, 0});
    return difference ? attack_of(*difference).substr(0, 2) : "--";
  };
  EXPECT_EQ(named({1, 2, 3, 4}), "--");
  EXPECT_EQ(named({9, 9, 9, 9}), "15");
  EXPECT_EQ(named({0, 0, 0, 0}), "15");
  EXPECT_EQ(named({7, 7, 7, 7}), "15");
  EXPECT_EQ(named({1, 2, 9, 9}), "17");
  EXPECT_EQ(named({1.001f, 2.001f, 3.001f, 4.001f}), "18");
  EXPECT_EQ(named({1, NAN, 3, 4}), "19");
}

// Arrays that are worked on in several parts at once.
constexpr std::size_t kMany = (2u << 20) + 5;

TEST(LargeArrays, ADifferenceInAnyPartIsFoundWhereItIs) {
  const auto before = bytes(std::vector<float>(kMany, 0.0f));
  const auto original = bytes(std::vector<float>(kMany, 1.0f));
  EXPECT_FALSE(compare(before, original, bytes(std::vector<float>(kMany, 1.0f + 1e-7f)),
                       ElementType::f32, {1e-5, 0}));
  for (const std::size_t at : {std::size_t{0}, std::size_t{1} << 20, kMany - 1}) {
    std::vector<float> found(kMany, 1.0f);
    found[at] = 2;
    const auto difference = compare(before, original, bytes(found), ElementType::f32, {1e-5, 0});
    ASSERT_TRUE(difference) << at;
    EXPECT_EQ(difference->first, at);
    EXPECT_EQ(difference->elements, 1u);
  }
}

TEST(LargeArrays, StatisticsAreThoseOfTheWhole) {
  std::vector<float> values(kMany, 2.0f);
  EXPECT_DOUBLE_EQ(root_mean_square(bytes(values), ElementType::f32), 2);
  auto other = values;
  other.back() = 3;
  EXPECT_DOUBLE_EQ(largest_relative_difference(bytes(values), bytes(other), ElementType::f32), 0.5);
}

TEST(LargeArrays, FreshValuesAreTheSameForASeedAndStayInTheRange) {
  std::vector<float> recorded(kMany);
  for (std::size_t i = 0; i < kMany; ++i) recorded[i] = static_cast<float>(i * 7919 % 1000) / 999;
  const auto drawn = [&](std::uint64_t seed) {
    auto contents = bytes(recorded);
    std::mt19937_64 random(seed);
    EXPECT_TRUE(make_fresh(contents, ElementType::f32, Freshness::drawn, {}, random));
    return contents;
  };
  const auto first = drawn(1);
  EXPECT_EQ(first, drawn(1));
  EXPECT_NE(first, drawn(2));
  const auto [low, high] = std::ranges::minmax(values<float>(first));
  EXPECT_GE(low, 0);
  EXPECT_LE(high, 1);
  // No part repeats another.
  const auto all = values<float>(first);
  EXPECT_FALSE(std::equal(all.begin(), all.begin() + 1000, all.begin() + (1u << 20)));
}

// Another order of what was recorded, in which elements come to other parts, too.
TEST(LargeArrays, PermutedElementsAreThoseRecorded) {
  std::vector<std::uint32_t> recorded(kMany);
  for (std::size_t i = 0; i < kMany; ++i) recorded[i] = static_cast<std::uint32_t>(i ^ 1);
  const auto permuted = [&](const std::vector<std::uint64_t>& pinned) {
    auto contents = bytes(recorded);
    std::mt19937_64 random(5);
    EXPECT_TRUE(make_fresh(contents, ElementType::u32, Freshness::permuted, pinned, random));
    return values<std::uint32_t>(contents);
  };
  auto moved = permuted({});
  std::size_t far = 0, still = 0;
  for (std::size_t i = 0; i < kMany; ++i) {
    far += (moved[i] >> 20) != (i >> 20);
    still += moved[i] == recorded[i];
  }
  EXPECT_GT(far, kMany * 2 / 5) << "of two parts half";
  EXPECT_LT(still, kMany / 1000);
  std::ranges::sort(moved);
  for (std::size_t i = 0; i < kMany; ++i) ASSERT_EQ(moved[i], i == kMany - 1 ? i + 1 : i);
  // An address stays where it is.
  EXPECT_EQ(permuted({40})[10], recorded[10]);
  EXPECT_EQ(permuted({40})[11], recorded[11]);
}

TEST(LargeArrays, SortedDataStaysSortedAcrossParts) {
  std::vector<float> rising(kMany);
  for (std::size_t i = 0; i < kMany; ++i) rising[i] = static_cast<float>(i);
  auto contents = bytes(rising);
  std::mt19937_64 random(3);
  EXPECT_TRUE(make_fresh(contents, ElementType::f32, Freshness::drawn, {}, random));
  EXPECT_TRUE(std::ranges::is_sorted(values<float>(contents)));
}

}  // namespace
}  // namespace geak::replay
