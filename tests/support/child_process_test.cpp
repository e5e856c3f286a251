#include "support/child_process.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <stop_token>
#include <string_view>
#include <system_error>
#include <vector>

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

TEST(ChildProcess, LinesOfStandardErrorAreToldAsTheyCome) {
  auto options = shell("printf 'one\\ntwo\\rthree\\n\\nfour' >&2");
  std::vector<std::string> lines;
  options.on_error_line = [&](std::string_view line) { lines.emplace_back(line); };
  EXPECT_EQ(run_child(options).err, "one\ntwo\rthree\n\nfour");
  EXPECT_EQ(lines, (std::vector<std::string>{"one", "two", "three", "four"}));
}

TEST(ChildProcess, ARequestToStopLeavesItTimeToEnd) {
  std::stop_source stop;
  auto options =
      shell("trap 'echo saved; exit 0' INT; echo ready >&2; while :; do sleep 0.05; done");
  options.on_error_line = [&](std::string_view) { stop.request_stop(); };
  options.stop = stop.get_token();
  const auto result = run_child(options);
  EXPECT_TRUE(result.succeeded());
  EXPECT_EQ(result.out, "saved\n");
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
