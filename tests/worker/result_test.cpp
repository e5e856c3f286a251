// The result as it grows on disk.
#include "worker/result.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace geak::worker {
namespace {

namespace fs = std::filesystem;

class ResultTest : public testing::Test {
 protected:
  ResultTest()
      : file_(fs::temp_directory_path() / ("geak-result-" + std::to_string(::getpid()) + ".json")) {
    fs::remove(file_);
    kernel_.target = "app";
    kernel_.kernel = "f";
    kernel_.symbol = "_Z1fv";
    kernel_.key = "k";
  }
  ~ResultTest() override { fs::remove(file_); }

  fs::path file_;
  Kernel kernel_;
};

TEST_F(ResultTest, GoesOnWithWhatWasWritten) {
  {
    Result result(file_, "bundle", "GPU", "sm_90");
    auto& entry = result.kernel(kernel_, "larger");
    entry["state"] = "tried";
    Result::candidate(entry, "0123abcd")["outcome"] = "accepted";
    result.problem("once");
    result.problem("once");
    result.write();
  }
  Result again(file_, "bundle", "GPU", "sm_90");
  auto& entry = again.kernel(kernel_, "larger");
  EXPECT_EQ(entry["state"], "tried");
  EXPECT_EQ(Result::candidate(entry, "0123abcd")["outcome"], "accepted");
  EXPECT_EQ(again.kernel(kernel_, "published")["state"], "begun");
  EXPECT_EQ(again.document()["problems"].size(), 1u);
}

TEST_F(ResultTest, RefusesTheResultOfAnotherBundleOrDevice) {
  Result(file_, "bundle", "GPU", "sm_90").write();
  EXPECT_THROW(Result(file_, "other", "GPU", "sm_90"), std::runtime_error);
  EXPECT_THROW(Result(file_, "bundle", "another GPU", "sm_90"), std::runtime_error);
  std::ofstream(file_) << "{";
  EXPECT_THROW(Result(file_, "bundle", "GPU", "sm_90"), std::runtime_error);
}

}  // namespace
}  // namespace geak::worker
