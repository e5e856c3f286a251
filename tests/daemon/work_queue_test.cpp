#include "daemon/work_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <vector>

namespace geak::daemon {
namespace {

const Job kFirst{"/build", "first"}, kSecond{"/build", "second"};

TEST(WorkQueue, RunsJobsInOrderAndOneAtATime) {
  std::vector<std::string> ran;
  std::atomic<int> side_by_side{0};
  WorkQueue queue([&](const Job& job, std::stop_token) {
    EXPECT_EQ(++side_by_side, 1);
    ran.push_back(job.target);
    --side_by_side;
  });
  queue.request(kFirst);
  queue.request(kSecond);
  queue.wait_until_idle();
  EXPECT_EQ(ran, (std::vector<std::string>{"first", "second"}));
}

TEST(WorkQueue, AWaitingJobIsNotQueuedTwiceButARunningOneRunsAgain) {
  std::atomic<int> runs{0};
  std::latch started{1}, go_on{1};
  WorkQueue queue([&](const Job&, std::stop_token) {
    if (runs++ == 0) {
      started.count_down();
      go_on.wait();
    }
  });
  queue.request(kFirst);
  started.wait();
  queue.request(kFirst);
  queue.request(kFirst);
  go_on.count_down();
  queue.wait_until_idle();
  EXPECT_EQ(runs, 2);
}

TEST(WorkQueue, CancelStopsTheRunningJobAndDropsAWaitingOne) {
  std::atomic<bool> stopped{false};
  std::atomic<int> runs{0};
  std::latch started{1};
  WorkQueue queue([&](const Job& job, std::stop_token stop) {
    ++runs;
    if (job.target != "first") return;
    started.count_down();
    while (!stop.stop_requested()) std::this_thread::yield();
    stopped = true;
  });
  queue.request(kFirst);
  started.wait();
  queue.request(kSecond);
  queue.cancel(kSecond);
  queue.cancel(kFirst);
  queue.wait_until_idle();
  EXPECT_TRUE(stopped);
  EXPECT_EQ(runs, 1);
}

TEST(WorkQueue, DestructionStopsTheRunningJob) {
  std::atomic<bool> stopped{false};
  std::latch started{1};
  {
    WorkQueue queue([&](const Job&, std::stop_token stop) {
      started.count_down();
      while (!stop.stop_requested()) std::this_thread::yield();
      stopped = true;
    });
    queue.request(kFirst);
    started.wait();
  }
  EXPECT_TRUE(stopped);
}

}  // namespace
}  // namespace geak::daemon
