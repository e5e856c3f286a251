#include "support/manifest.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace geak::support {
namespace {

namespace fs = std::filesystem;

class ManifestTest : public testing::Test {
 protected:
  ManifestTest()
      : build_(fs::temp_directory_path() / ("geak-manifest-" + std::to_string(getpid()))) {
    fs::create_directories(build_ / "geak" / "targets");
  }
  ~ManifestTest() override { fs::remove_all(build_); }
  fs::path write(const std::string& target, const std::string& text) const {
    const auto file = build_ / "geak" / "targets" / (target + ".json");
    std::ofstream(file) << text;
    return file;
  }
  fs::path build_;
};

constexpr const char* kWhole = R"({"schema": 1, "target": "app", "build": "/b", "source_dir": "/s",
  "kernels": ["blur", "detail::scan<*>"],
  "workload": {"command": ["/b/app", "--size", "9"], "working_directory": "/b"},
  "architectures": ["gfx90a"], "tolerance": 1e-3,
  "sources": [{"path": "/s/a.hip", "language": "HIP", "selection": "/b/geak/select/app/0.selection"}],
  "swap_directory": "/b/geak/swap/app", "cache_stamp": "/b/geak/cache-stamp",
  "original": "/b/geak/original"})";

TEST_F(ManifestTest, EveryFieldIsRead) {
  const Manifest manifest = read_manifest(write("app", kWhole));
  EXPECT_EQ(manifest.target, "app");
  EXPECT_EQ(manifest.build, "/b");
  EXPECT_EQ(manifest.source_dir, "/s");
  EXPECT_EQ(manifest.kernels, (std::vector<std::string>{"blur", "detail::scan<*>"}));
  EXPECT_EQ(manifest.workload, (std::vector<std::string>{"/b/app", "--size", "9"}));
  EXPECT_EQ(manifest.workload_directory, "/b");
  EXPECT_EQ(manifest.architectures, std::vector<std::string>{"gfx90a"});
  EXPECT_DOUBLE_EQ(manifest.tolerance.value(), 1e-3);
  ASSERT_EQ(manifest.sources.size(), 1u);
  EXPECT_EQ(manifest.sources[0].path, "/s/a.hip");
  EXPECT_EQ(manifest.sources[0].selection, "/b/geak/select/app/0.selection");
  EXPECT_EQ(manifest.cache_stamp, "/b/geak/cache-stamp");
  EXPECT_EQ(manifest.original, "/b/geak/original");
}

TEST_F(ManifestTest, OptionalFieldsMayBeMissingOrNull) {
  const auto manifest = read_manifest(write(
      "a", R"({"schema": 1, "target": "a", "kernels": [], "sources": [], "tolerance": null})"));
  EXPECT_FALSE(manifest.tolerance);
  EXPECT_TRUE(manifest.workload.empty());
  EXPECT_TRUE(manifest.original.empty());
}

TEST_F(ManifestTest, ErrorsNameTheFile) {
  for (const char* text : {"", "{", "[]", R"({"schema": 2})", R"({"schema": 1, "target": 7})"}) {
    const auto file = write("bad", text);
    try {
      read_manifest(file);
      ADD_FAILURE() << text;
    } catch (const std::runtime_error& error) {
      EXPECT_NE(std::string(error.what()).find(file.string()), std::string::npos) << error.what();
    }
  }
}

TEST_F(ManifestTest, ABuildsManifestsComeInOrder) {
  write("b", R"({"schema": 1, "target": "b", "kernels": [], "sources": []})");
  write("a", R"({"schema": 1, "target": "a", "kernels": [], "sources": []})");
  std::ofstream(build_ / "geak" / "targets" / "note.txt") << "no manifest";
  const auto all = manifests_of_build(build_);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].target, "a");
  fs::remove_all(build_ / "geak");
  EXPECT_TRUE(manifests_of_build(build_).empty());
  EXPECT_THROW(manifests_of_build(build_ / "none"), std::runtime_error);
}

}  // namespace
}  // namespace geak::support
