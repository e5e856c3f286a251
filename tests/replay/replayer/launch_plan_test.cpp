// Launches that are put together: which passes of the original a candidate is held against.
#include "replay/replayer/launch_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

namespace geak::replay {
namespace {

LaunchRecord launch_of_pass(std::int32_t pass) {
  LaunchRecord record;
  record.kernel = "step";
  record.block = {64, 1, 1};
  record.grid = {64, 1, 1};
  record.kernarg.resize(4);
  std::memcpy(record.kernarg.data(), &pass, sizeof pass);
  return record;
}

class LaunchPlanTest : public testing::Test {
 protected:
  LaunchPlanTest() {
    kernel_.kernarg_bytes = 4;
    kernel_.arguments = {{0, 4, "by_value", ""}};
    change_.passes.emplace();
    change_.passes->most = 32;
  }
  std::vector<std::int64_t> passes_from(const LaunchRecord& record) const {
    const auto planned = LaunchPlan(kernel_, change_, recorded_).of(record);
    return planned ? planned->original_passes.values : std::vector<std::int64_t>();
  }

  KernelMetadata kernel_;
  support::LaunchChange change_;
  std::vector<LaunchRecord> recorded_;
};

// What follows the loop's last pass is none of the program's: it may lie beyond the buffers.
TEST_F(LaunchPlanTest, PassesEndWhereTheProgramsDid) {
  for (const int pass : {0, 1, 3, 5}) recorded_.push_back(launch_of_pass(pass));
  EXPECT_THAT(passes_from(recorded_[0]), testing::ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(passes_from(recorded_[2]), testing::ElementsAre(3, 4, 5));
  EXPECT_THAT(passes_from(recorded_[3]), testing::IsEmpty());
}

TEST_F(LaunchPlanTest, PassesOfAnotherKernelSayNothing) {
  recorded_ = {launch_of_pass(0), launch_of_pass(1), launch_of_pass(9)};
  recorded_.back().kernel = "other";
  EXPECT_THAT(passes_from(recorded_[0]), testing::ElementsAre(0, 1));
}

TEST_F(LaunchPlanTest, PassesThatGoDownEndToo) {
  for (const int pass : {8, 7, 6}) recorded_.push_back(launch_of_pass(pass));
  change_.passes->step = -1;
  EXPECT_THAT(passes_from(recorded_[0]), testing::ElementsAre(8, 7, 6));
}

}  // namespace
}  // namespace geak::replay
