#include "support/launch_change.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace geak::support {
namespace {

const Launch original{{10, 2, 1}, {256, 1, 1}, 1024};

TEST(LaunchChange, KeepsTheLaunchByDefault) {
  EXPECT_TRUE(LaunchChange{}.keeps_launch());
  EXPECT_EQ(LaunchChange{}.apply(original, {}), original);
}

TEST(LaunchChange, CoversTheSameItemsWithFewerWorkgroups) {
  LaunchChange change;
  change.axes[0] = {BlockRule::set, 128, GridRule::cover, 4};
  const auto launch = change.apply(original, {});
  ASSERT_TRUE(launch);
  EXPECT_EQ(launch->block, (Extent{128, 1, 1}));
  EXPECT_EQ(launch->grid, (Extent{5, 2, 1}));  // 2560 items / 512
}

TEST(LaunchChange, ScalesDynamicLdsWithTheWorkgroup) {
  LaunchChange change;
  change.axes[0] = {BlockRule::multiply, 2, GridRule::divide, 2};
  change.lds = {true, 16, 4};
  const auto launch = change.apply(original, {});
  ASSERT_TRUE(launch);
  EXPECT_EQ(launch->dynamic_lds, 2048U + 16U + 4U * 512U);
}

TEST(LaunchChange, RefusesWhatCannotBeLaunched) {
  std::string problem;
  LaunchChange change;
  change.axes[0] = {BlockRule::multiply, 8, GridRule::keep, 1};
  EXPECT_FALSE(change.apply(original, {}, &problem));
  EXPECT_NE(problem.find("workgroup"), std::string::npos);
  change.axes[0] = {BlockRule::divide, 3, GridRule::keep, 1};
  EXPECT_FALSE(change.apply(original, {}));
  change.axes[0] = {BlockRule::keep, 1, GridRule::set, 0};
  EXPECT_FALSE(change.apply(original, {}));
}

TEST(LaunchChange, ChecksConditionsOnLaunchAndArguments) {
  const ArgumentValues arguments = [](std::uint32_t at) -> std::optional<std::int64_t> {
    if (at == 0) return 4096;
    if (at == 1) return 4096;
    if (at == 2) return 1000;
    return std::nullopt;
  };
  const auto runs = [&](Condition condition) {
    LaunchChange change;
    change.conditions = {condition};
    return change.apply(original, arguments).has_value();
  };
  using Kind = Condition::Kind;
  EXPECT_TRUE(runs({Kind::block_equals, 0, 256}));
  EXPECT_FALSE(runs({Kind::block_equals, 0, 128}));
  EXPECT_TRUE(runs({Kind::items_multiple, 0, 512}));
  EXPECT_FALSE(runs({Kind::items_multiple, 0, 513}));
  EXPECT_TRUE(runs({Kind::argument_aligned, 0, 16}));
  EXPECT_FALSE(runs({Kind::argument_multiple, 2, 16}));
  EXPECT_TRUE(runs({Kind::argument_at_most, 2, 1000}));
  EXPECT_FALSE(runs({Kind::arguments_distinct, 0, 1}));
  EXPECT_TRUE(runs({Kind::arguments_distinct, 0, 2}));
  EXPECT_FALSE(runs({Kind::argument_equals, 3, 0})) << "an unknown argument proves nothing";
}

TEST(LaunchChange, SurvivesJson) {
  LaunchChange change;
  change.axes[0] = {BlockRule::divide, 2, GridRule::cover, 4};
  change.lds.bytes_added = 32;
  change.conditions = {{Condition::Kind::argument_at_least, 2, -5}};
  EXPECT_EQ(nlohmann::json(change).get<LaunchChange>(), change);
  EXPECT_EQ(nlohmann::json::parse("{}").get<LaunchChange>(), LaunchChange{});
  EXPECT_THROW(nlohmann::json::parse(R"({"x": {"block": {"rule": "grow"}}})").get<LaunchChange>(),
               std::invalid_argument);
}

}  // namespace
}  // namespace geak::support
