// Several bundles that are tried as one.
#include "worker/gather.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <stdexcept>

namespace geak::worker {
namespace {

namespace fs = std::filesystem;

class GatherTest : public testing::Test {
 protected:
  GatherTest()
      : folder_(fs::temp_directory_path() / ("geak-gather-" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
  }
  ~GatherTest() override { fs::remove_all(folder_); }

  fs::path written(const std::string& name) const {
    Bundle bundle;
    bundle.files = {{"main.hip", "// " + name}, {"hip_on_cuda/hip/hip_runtime.h", "// header"}};
    bundle.units = {{"main.hip", {"."}, {}}};
    Kernel kernel;
    kernel.target = kernel.kernel = name;
    Candidate candidate;
    candidate.name = name + "__geak_0123abcd";
    candidate.digest = "0123abcd";
    candidate.recipe = nlohmann::json::array();
    candidate.files = {{"main.hip", "// variant"}};
    kernel.candidates = {candidate};
    bundle.kernels = {kernel};
    bundle.workloads = {{name, {0}, {}, {{"larger", {}}}}};
    const auto file = folder_ / (name + ".geakbundle");
    write_bundle(bundle, file);
    return file;
  }

  fs::path folder_;
};

TEST_F(GatherTest, EachKeepsItsOwnFilesAndUnits) {
  const auto all = read_bundles({written("a"), written("b")});
  ASSERT_EQ(all.units.size(), 2u);
  ASSERT_EQ(all.kernels.size(), 2u);
  EXPECT_EQ(all.files.at(all.units[0].main), "// a");
  EXPECT_EQ(all.files.at(all.units[1].main), "// b");
  EXPECT_EQ(all.kernels[1].unit, 1u);
  EXPECT_EQ(all.workloads[1].units, std::vector<std::size_t>{1});
  // A candidate replaces the file of its own unit.
  EXPECT_TRUE(all.kernels[1].candidates[0].files.contains(all.units[1].main));
  EXPECT_EQ(all.files.count("hip_on_cuda/hip/hip_runtime.h"), 1u);
}

TEST_F(GatherTest, TheDigestIsOfAllInTheirOrder) {
  const auto a = written("a"), b = written("b");
  EXPECT_EQ(digest_of_files({a, b}), digest_of_files({a, b}));
  EXPECT_NE(digest_of_files({a, b}), digest_of_files({b, a}));
  EXPECT_THROW(digest_of_files({folder_ / "none"}), std::runtime_error);
}

}  // namespace
}  // namespace geak::worker
