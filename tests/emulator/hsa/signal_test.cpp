#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "emulator/hsa/runtime.h"
#include "emulator/hsa/signal_wait.h"
#include "emulator/memory/page_map.h"

namespace geak::emulator {
namespace {

class SignalTest : public ::testing::Test {
 protected:
  void SetUp() override { Runtime::open(); }
  void TearDown() override { Runtime::close(); }
  Runtime& runtime() { return Runtime::instance(); }
};

TEST_F(SignalTest, ConditionsAreSigned) {
  EXPECT_TRUE(satisfied(-1, HSA_SIGNAL_CONDITION_LT, 0));
  EXPECT_FALSE(satisfied(-1, HSA_SIGNAL_CONDITION_GTE, 0));
  EXPECT_TRUE(satisfied(3, HSA_SIGNAL_CONDITION_EQ, 3));
  EXPECT_TRUE(satisfied(3, HSA_SIGNAL_CONDITION_NE, 4));
}

TEST_F(SignalTest, LiesInMemoryOfTheDevice) {
  auto* signal = runtime().signals.create(1);
  EXPECT_TRUE(PageMap::instance().covers(reinterpret_cast<std::uint64_t>(signal)));
  EXPECT_EQ(reinterpret_cast<std::uint64_t>(signal) % 64, 0u);
  runtime().signals.destroy(signal);
}

TEST_F(SignalTest, WaitEndsAtItsTimeout) {
  auto* signal = runtime().signals.create(1);
  EXPECT_EQ(
      wait_for(handle_of(signal), HSA_SIGNAL_CONDITION_EQ, 0, 3000000, HSA_WAIT_STATE_BLOCKED), 1);
  runtime().signals.destroy(signal);
}

TEST_F(SignalTest, CompletionWakesWaitersAndTellsTheModelledTime) {
  auto* signal = runtime().signals.create(1);
  const auto end = runtime().host_clock.now() + 12345;
  std::thread device([&] { complete(handle_of(signal), end - 100, end); });
  EXPECT_EQ(
      wait_for(handle_of(signal), HSA_SIGNAL_CONDITION_EQ, 0, UINT64_MAX, HSA_WAIT_STATE_BLOCKED),
      0);
  device.join();
  EXPECT_EQ(signal->start_ts, end - 100);
  EXPECT_EQ(end_time(signal), end);
  EXPECT_EQ(runtime().host_clock.now(), end);
  runtime().signals.destroy(signal);
}

TEST_F(SignalTest, PlainStoresOfADeviceAreSeenToo) {
  auto* signal = runtime().signals.create(1);
  std::thread device([&] { value_of(signal).store(0); });  // no notification
  EXPECT_EQ(
      wait_for(handle_of(signal), HSA_SIGNAL_CONDITION_EQ, 0, UINT64_MAX, HSA_WAIT_STATE_BLOCKED),
      0);
  device.join();
  runtime().signals.destroy(signal);
}

TEST_F(SignalTest, HandlersRunUntilTheySayNo) {
  auto* signal = runtime().signals.create(0);
  std::atomic<int> calls{0};
  runtime().async_handlers.add(
      {handle_of(signal), HSA_SIGNAL_CONDITION_EQ, 0,
       [](hsa_signal_value_t, void* data) { return ++*static_cast<std::atomic<int>*>(data) < 3; },
       &calls});
  while (calls.load() < 3) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(calls.load(), 3);
  runtime().signals.destroy(signal);
}

}  // namespace
}  // namespace geak::emulator
