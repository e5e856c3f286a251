// The bundle's format: what goes in comes out, and what is no bundle of ours is refused.
#include "worker/bundle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "worker/bundle_json.h"

namespace geak::worker {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class BundleTest : public testing::Test {
 protected:
  BundleTest()
      : folder_(fs::temp_directory_path() /
                ("geak-bundle-" + std::to_string(::getpid()) + "-" +
                 testing::UnitTest::GetInstance()->current_test_info()->name())) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~BundleTest() override { fs::remove_all(folder_); }

  static Bundle example() {
    Bundle bundle;
    bundle.geak = "0.1.0";
    bundle.files = {{"src/a.hip", "__global__ void f() {}"},
                    {"hip_on_cuda/hip/hip_runtime.h", "#pragma once"}};
    bundle.units = {{"src/a.hip", {".", "include"}, {"-DN=4", "-std=c++17"}}};
    Kernel kernel;
    kernel.target = "app";
    kernel.kernel = "f";
    kernel.source = "/home/u/src/a.hip";
    kernel.symbol = "_Z1fv";
    kernel.key = "k";
    kernel.tolerance = 1e-3;
    kernel.argument_types = {"float *"};
    Candidate candidate;
    candidate.name = "f__geak_0123abcd";
    candidate.digest = "0123abcd";
    candidate.recipe = nlohmann::json::array({{{"transform", "coarsen"}}});
    candidate.text = "text";
    candidate.launch.axes[0].grid = support::GridRule::cover;
    candidate.launch.axes[0].grid_value = 4;
    candidate.files = {{"src/a.hip", "other"}};
    kernel.candidates.push_back(candidate);
    bundle.kernels.push_back(kernel);
    bundle.workloads = {{"app", {0}, {"-lm"}, {{"larger", {"--size", "8"}}}}};
    bundle.records = {{"app", "recorded", {std::byte{1}, std::byte{2}}},
                      {"app", "other", {std::byte{3}}}};
    return bundle;
  }

  fs::path written(const Bundle& bundle) const {
    const auto file = folder_ / "b.geakbundle";
    write_bundle(bundle, file);
    return file;
  }

  static std::string bytes_of(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  fs::path with_bytes(const std::string& bytes) const {
    const auto file = folder_ / "changed.geakbundle";
    std::ofstream(file, std::ios::binary) << bytes;
    return file;
  }
  static std::string refusal_of(const fs::path& file) {
    try {
      read_bundle(file);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  }

  fs::path folder_;
};

TEST_F(BundleTest, ComesBackAsItWent) {
  const auto bundle = example();
  const auto read = read_bundle(written(bundle));
  EXPECT_EQ(to_json(read), to_json(bundle));
  ASSERT_EQ(read.records.size(), 2u);
  EXPECT_EQ(read.records[0].archive, bundle.records[0].archive);
  EXPECT_EQ(read.records[1].archive, bundle.records[1].archive);
  EXPECT_EQ(read.kernels[0].candidates[0].launch, bundle.kernels[0].candidates[0].launch);
}

TEST_F(BundleTest, RefusesAnotherVersionByItsNumber) {
  auto bytes = bytes_of(written(example()));
  bytes[8] = 7;
  EXPECT_THAT(refusal_of(with_bytes(bytes)), HasSubstr("version 7"));
}

TEST_F(BundleTest, RefusesWhatIsDamagedOrCutOffAnywhere) {
  const auto bytes = bytes_of(written(example()));
  for (std::size_t length = 0; length < bytes.size(); ++length)
    EXPECT_NE(refusal_of(with_bytes(bytes.substr(0, length))), "") << length;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    if (at >= 12 && at < 16) continue;  // reserved
    auto changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 0x55);
    EXPECT_NE(refusal_of(with_bytes(changed)), "") << at;
  }
  EXPECT_NE(refusal_of(with_bytes(bytes + "x")), "");
}

TEST_F(BundleTest, RefusesPathsThatLeaveTheFolder) {
  for (const char* path : {"../a.hip", "/etc/passwd", "a/../../b", "a//b", "a/", "", "./a", "a\nb",
                           "a/./b", "..", "a\\b"}) {
    EXPECT_FALSE(is_safe_path(path)) << path;
    auto bundle = example();
    bundle.kernels[0].candidates[0].files = {{path, "text"}};
    EXPECT_THAT(refusal_of(written(bundle)), HasSubstr("leaves the folder")) << path;
  }
  EXPECT_TRUE(is_safe_path("a..b/.c/d.hip"));
}

TEST_F(BundleTest, RefusesOptionsThatReadOrRunThings) {
  for (const char* option : {"-o/etc/passwd", "-include/etc/passwd", "-Xcompiler", "-ccbin=/tmp/x",
                             "@/tmp/options", "-I/", "-run"}) {
    auto bundle = example();
    bundle.units[0].options = {option};
    EXPECT_THAT(refusal_of(written(bundle)), HasSubstr("not allowed")) << option;
  }
}

TEST_F(BundleTest, RefusesIndicesOutOfRange) {
  auto bundle = example();
  bundle.kernels[0].unit = 1;
  EXPECT_NE(refusal_of(written(bundle)), "");
  bundle = example();
  bundle.workloads[0].units = {3};
  EXPECT_NE(refusal_of(written(bundle)), "");
}

TEST_F(BundleTest, UnpacksBelowItsFolderAndNeverThroughALink) {
  unpack({{"a/b.hip", "text"}}, folder_ / "new");
  EXPECT_EQ(bytes_of(folder_ / "new/a/b.hip"), "text");
  EXPECT_THROW(unpack({{"../b.hip", "text"}}, folder_ / "new"), std::runtime_error);
  fs::create_directories(folder_ / "outside");
  fs::create_directory_symlink(folder_ / "outside", folder_ / "new/link");
  EXPECT_THROW(unpack({{"link/c.hip", "text"}}, folder_ / "new"), std::runtime_error);
  fs::create_symlink(folder_ / "outside/d", folder_ / "new/d");
  EXPECT_THROW(unpack({{"d", "text"}}, folder_ / "new"), std::runtime_error);
  EXPECT_TRUE(fs::is_empty(folder_ / "outside"));
}

}  // namespace
}  // namespace geak::worker
