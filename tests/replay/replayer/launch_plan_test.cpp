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

// f(float* a, const float* b, int n) with a guard: what the host would find at a launch.
class GuardedPlan : public testing::Test {
 protected:
  using Op = support::GuardExpression::Op;
  using Type = support::GuardExpression::Type;

  GuardedPlan() {
    kernel_.arguments = {{0, 8, "global_buffer", ""},
                         {8, 8, "global_buffer", ""},
                         {16, 4, "by_value", ""},
                         {24, 4, "hidden_block_count_x", ""}};
    record_.kernel = "f";
    record_.block = {64, 1, 1};
    record_.grid = {256, 1, 1};
    record_.kernarg.resize(20);
    record_.regions.resize(2);
    for (const std::uint32_t i : {0U, 1U}) {
      record_.regions[i].base = 4096 * (i + 1);
      record_.regions[i].bytes = 1024;
      set<std::uint64_t>(8 * i, 4096 * (i + 1));
      record_.pointers.push_back({8 * i, i, 0});
    }
    set<std::int32_t>(16, 256);
  }
  template <typename T>
  void set(std::size_t offset, T value) {
    std::memcpy(record_.kernarg.data() + offset, &value, sizeof value);
  }
  static support::GuardExpression argument(Type type, std::uint32_t index) {
    return {Op::argument, type, index, 0, {}};
  }
  bool runs(support::GuardExpression guard) const {
    support::LaunchChange change;
    change.guard = std::move(guard);
    std::string why;
    const bool planned = LaunchPlan(kernel_, change, recorded_).of(record_, &why).has_value();
    EXPECT_EQ(why.empty(), planned);
    return planned;
  }

  KernelMetadata kernel_;
  LaunchRecord record_;
  std::vector<LaunchRecord> recorded_;
};

TEST_F(GuardedPlan, TheOriginalRunsWhereItIsFalse) {
  const support::GuardExpression n = argument(Type::i32, 2);
  const auto equals = [&](std::uint64_t value) {
    return support::GuardExpression{
        Op::equal, Type::boolean, 0, 0, {n, {Op::constant, Type::i32, 0, value, {}}}};
  };
  EXPECT_TRUE(runs(equals(256)));
  EXPECT_FALSE(runs(equals(255)));
  set<std::int32_t>(16, 255);
  EXPECT_TRUE(runs(equals(255)));
  EXPECT_THROW((void)runs(argument(Type::i32, 7)), support::GuardFault) << "no such argument";
}

TEST_F(GuardedPlan, AllocationsAreThoseOfTheRecord) {
  const support::GuardExpression apart{
      Op::apart, Type::boolean, 0, 0, {argument(Type::pointer, 0), argument(Type::pointer, 1)}};
  const auto readable = [](std::uint32_t index, std::int64_t bytes) {
    return support::GuardExpression{
        Op::readable,
        Type::boolean,
        0,
        0,
        {argument(Type::pointer, index),
         {Op::convert,
          Type::f64,
          0,
          0,
          {{Op::constant, Type::i64, 0, static_cast<std::uint64_t>(bytes), {}}}}}};
  };
  EXPECT_TRUE(runs(apart));
  EXPECT_TRUE(runs(readable(0, 1024)));
  EXPECT_FALSE(runs(readable(0, 1025)));
  // One that grew with a size moves nobody, though its end now lies in the other.
  record_.regions[0].bytes = 8192;
  EXPECT_TRUE(runs(apart));
  EXPECT_TRUE(runs(readable(0, 8192)));
  // Both into one buffer.
  record_.pointers[1] = {8, 0, 512};
  set<std::uint64_t>(8, 4096 + 512);
  EXPECT_FALSE(runs(apart));
  EXPECT_FALSE(runs(readable(1, 8192)));
  EXPECT_TRUE(runs(readable(1, 8192 - 512)));
  // Null lies in none.
  record_.pointers.pop_back();
  set<std::uint64_t>(8, 0);
  EXPECT_FALSE(runs(apart));
  EXPECT_FALSE(runs(readable(1, 0)));
}

}  // namespace
}  // namespace geak::replay
