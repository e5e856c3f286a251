#include "support/pass_rule.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "support/launch_change.h"

namespace geak::support {
namespace {

using namespace pass_rule;

constexpr Launch shape{{64, 1, 1}, {256, 1, 1}, 0};

/// Writes rules as arithmetic of unsigned 32-bit values.
class Writer {
 public:
  explicit Writer(PassRule& rule) : rule_(rule) {}
  int op(int kind, int left = 0, int right = 0, long long value = 0) {
    rule_.ops.push_back({kind, left, right, value, 32, false});
    return static_cast<int>(rule_.ops.size()) - 1;
  }
  int item() {
    return op(pass_add, op(pass_multiply, op(pass_block), op(pass_block_size)), op(pass_thread));
  }

 private:
  PassRule& rule_;
};

/// Pairs at a distance of 1 << (argument 1 - argument 2), as a bitonic sort's stages have them.
PassRule butterfly() {
  PassRule rule{2, advance_add, 1, 32, {}, {}, {}};
  Writer write(rule);
  const int item = write.item();
  const int exponent =
      write.op(pass_subtract, write.op(pass_argument, 0, 0, 1), write.op(pass_argument, 0, 0, 2));
  const int distance = write.op(pass_shift_left, write.op(pass_constant, 0, 0, 1), exponent);
  const int group = write.op(pass_multiply, write.op(pass_divide, item, distance), distance);
  const int left =
      write.op(pass_add, write.op(pass_multiply, group, write.op(pass_constant, 0, 0, 2)),
               write.op(pass_remainder, item, distance));
  rule.accesses = {{left, 0}, {write.op(pass_add, left, distance), 0}};
  return rule;
}

TEST(PassRule, CountsTheStagesThatAWorkgroupCanDoAlone) {
  const PassRule rule = butterfly();
  // Distances 256 to 1 keep to the 512 elements of a workgroup of 256.
  EXPECT_EQ(rule.passes(shape, {0, 8, 0}), 9U);
  EXPECT_EQ(rule.passes(shape, {0, 13, 5}), 9U);
  EXPECT_EQ(rule.passes(shape, {0, 13, 12}), 2U);
  EXPECT_EQ(rule.passes(shape, {0, 13, 4}), 0U);
  EXPECT_EQ(rule.passes({{16, 1, 1}, {1024, 1, 1}, 0}, {0, 13, 3}), 11U);
}

TEST(PassRule, AWorkgroupAloneMeetsNobody) {
  PassRule rule = butterfly();
  EXPECT_EQ(rule.passes({{1, 1, 1}, {256, 1, 1}, 0}, {0, 13, 0}), rule.most);
  rule.most = 3;
  EXPECT_EQ(rule.passes({{1, 1, 1}, {256, 1, 1}, 0}, {0, 13, 0}), 3U);
}

TEST(PassRule, RefusesWhatItCannotCount) {
  const PassRule rule = butterfly();
  EXPECT_EQ(rule.passes({{64, 2, 1}, {256, 1, 1}, 0}, {0, 8, 0}), 0U) << "rows of workgroups";
  EXPECT_EQ(rule.passes(shape, {0, 8, -1}), 0U);
  EXPECT_EQ(rule.passes(shape, {0, 70000, 69999}), 0U) << "a number without room for another";
  EXPECT_EQ(rule.passes({{64, 1, 1}, {192, 1, 1}, 0}, {0, 8, 1}), 0U) << "windows cut by a group";
  // Elements beyond 32 bits would wrap around into other windows.
  EXPECT_EQ(rule.passes({{1u << 24, 1, 1}, {256, 1, 1}, 0}, {0, 8, 2}), 0U);
}

TEST(PassRule, NeighboursOverTheEdgeAreMet) {
  PassRule rule{1, advance_add, 1, 8, {}, {}, {}};
  Writer write(rule);
  const int item = write.item();
  rule.accesses = {{item, 0}};
  EXPECT_EQ(rule.passes(shape, {0, 0}), 8U);
  rule.accesses.push_back({write.op(pass_add, item, write.op(pass_constant, 0, 0, 1)), 0});
  EXPECT_EQ(rule.passes(shape, {0, 0}), 0U);
  rule.accesses.back().memory = 2;
  EXPECT_EQ(rule.passes(shape, {0, 0}), 8U) << "another buffer";
}

/// The popular form: the partner is item ^ distance, and the distance is halved.
PassRule exclusive_or() {
  PassRule rule{1, advance_divide, 2, 32, {}, {}, {}};
  Writer write(rule);
  const int item = write.item();
  rule.accesses = {{item, 0}, {write.op(pass_xor, item, write.op(pass_argument, 0, 0, 1)), 0}};
  return rule;
}

TEST(PassRule, HalvesDistances) {
  const PassRule rule = exclusive_or();
  EXPECT_EQ(rule.passes(shape, {0, 256}), 0U);
  EXPECT_GE(rule.passes(shape, {0, 128}), 8U);
  EXPECT_EQ(rule.after(128), 64);
  EXPECT_EQ(PassRule::packed(128, 8), 128 + (8 << 16));
}

/// What the rule allows, tried element by element: no workgroup meets another one's elements.
TEST(PassRule, AllowsOnlyWhatHoldsForEveryElement) {
  for (const unsigned block : {32U, 64U, 96U, 256U}) {
    const Launch launch{{8, 1, 1}, {block, 1, 1}, 0};
    for (std::int64_t distance = 1; distance <= 1024; distance += distance < 8 ? 1 : distance / 3) {
      const auto passes = exclusive_or().passes(launch, {0, distance});
      std::map<std::int64_t, std::set<unsigned>> touched;
      auto now = distance;
      for (std::uint32_t pass = 0; pass < passes; ++pass, now /= 2)
        for (unsigned item = 0; item < 8 * block; ++item)
          for (const auto element : {std::int64_t{item}, std::int64_t{item} ^ now})
            touched[element].insert(item / block);
      for (const auto& [element, groups] : touched)
        ASSERT_EQ(groups.size(), 1U) << block << ' ' << distance << ' ' << element;
    }
  }
}

TEST(PassRule, KeepsToWindows) {
  PassRule rule = butterfly();
  rule.windows = {{0, 512}};
  EXPECT_EQ(rule.passes(shape, {0, 8, 0}), 9U);
  EXPECT_EQ(rule.passes({{1, 1, 1}, {256, 1, 1}, 0}, {0, 8, 0}), 9U) << "a workgroup alone too";
  EXPECT_EQ(rule.passes({{1, 1, 1}, {256, 1, 1}, 0}, {0, 9, 0}), 0U);
  EXPECT_EQ(rule.passes({{64, 1, 1}, {128, 1, 1}, 0}, {0, 7, 0}), 0U) << "smaller workgroups";
  rule.windows = {{0, 1024}};
  EXPECT_EQ(rule.passes(shape, {0, 8, 0}), 0U) << "parts that are not side by side";
}

TEST(PassRule, SurvivesJson) {
  LaunchChange change;
  change.passes = butterfly();
  change.passes->windows = {{0, 512}};
  EXPECT_FALSE(change.keeps_launch());
  const nlohmann::json json = change;
  EXPECT_EQ(json.get<LaunchChange>(), change);
}

TEST(PassRule, RefusesBrokenJson) {
  nlohmann::json json = butterfly();
  json["ops"][2][1] = 50;
  EXPECT_THROW((void)json.get<PassRule>(), std::invalid_argument);
  json = butterfly();
  json["accesses"][0][1] = 99;
  EXPECT_THROW((void)json.get<PassRule>(), std::invalid_argument);
  json = butterfly();
  json["most"] = 0;
  EXPECT_THROW((void)json.get<PassRule>(), std::invalid_argument);
}

}  // namespace
}  // namespace geak::support
