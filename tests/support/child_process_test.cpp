#include "support/child_process.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <system_error>

namespace geak::support {
namespace {

ChildOptions shell(const std::string& script) {
  ChildOptions options;
  options.command = {"sh", "-c", script};
  return options;
}

TEST(ChildProcess, GivesWhatItPrintedAndHowItEnded) {
  const auto result = run_child(shell("echo out; echo err >&2; exit 3"));
  EXPECT_EQ(result.out, "out\n");
  EXPECT_EQ(result.err, "err\n");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_FALSE(result.succeeded());
}

TEST(ChildProcess, AMissingProgramIsNamed) {
  ChildOptions options;
  options.command = {"geak-no-such-program"};
  try {
    run_child(options);
    FAIL() << "it was started";
  } catch (const std::system_error& error) {
    EXPECT_EQ(error.code(), std::errc::no_such_file_or_directory);
    EXPECT_NE(std::string(error.what()).find("geak-no-such-program"), std::string::npos);
  }
}

TEST(ChildProcess, IsEndedAfterItsTime) {
  auto options = shell("sleep 1000");
  options.timeout = std::chrono::milliseconds(50);
  const auto result = run_child(options);
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.exit_code, 128 + SIGTERM);
}

TEST(ChildProcess, WhatItLeavesAmongItsOwnTemporariesIsGone) {
  auto options = shell("mktemp -d; printf %s \"$TMPDIR\"");
  options.own_temporaries = true;
  const auto result = run_child(options);
  ASSERT_TRUE(result.succeeded()) << result.err;
  const auto folder = result.out.substr(result.out.find('\n') + 1);
  EXPECT_EQ(result.out.find(folder), 0u) << result.out;
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST(ChildProcess, ItsOwnTemporariesAreGoneWhenItWasEnded) {
  auto options = shell("touch \"$TMPDIR/left\"; printf %s \"$TMPDIR\"; kill -KILL $$");
  options.own_temporaries = true;
  const auto result = run_child(options);
  EXPECT_EQ(result.signal, SIGKILL);
  ASSERT_FALSE(result.out.empty());
  EXPECT_FALSE(std::filesystem::exists(result.out));
}

}  // namespace
}  // namespace geak::support
