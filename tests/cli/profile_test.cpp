#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "cli/profile_data.h"

namespace geak::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class ProfileTest : public ::testing::Test {
 protected:
  ~ProfileTest() override { std::filesystem::remove(file_); }

  void write(const std::string& kernel, double ns, const std::string& bound, int scale = 1) {
    const nlohmann::json line{
        {"schema", 1},
        {"kernel", kernel},
        {"device", "MI210"},
        {"arch", "gfx90a"},
        {"grid", {64, 1, 1}},
        {"workgroup", {64, 1, 1}},
        {"waves", 2 * scale},
        {"instructions", 100 * scale},
        {"executed", {{"salu", 50 * scale}, {"valu", 40 * scale}, {"global", 10 * scale}}},
        {"active_lanes", {{"salu", 3200}, {"valu", 1280 * scale}, {"global", 320 * scale}}},
        {"barriers", 4 * scale},
        {"barrier_wait_instructions", 25 * scale},
        {"memory",
         {{"read",
           {{"instructions", 10 * scale}, {"bytes", 1280 * scale}, {"lines64", 40 * scale}}},
          {"l1_hits", 3 * scale},
          {"l1_misses", scale}}},
        {"levels",
         {{"l1_bytes", 2560 * scale}, {"l2_bytes", 64 * scale}, {"memory_bytes", 50 * scale}}},
        {"lds", {{"cycles", 8 * scale}, {"conflict_cycles", 2 * scale}, {"instructions", 5}}},
        {"resources",
         {{"vgprs", 32},
          {"sgprs", 16},
          {"waves_per_simd", 8},
          {"limit", "waves"},
          {"vgpr_spills", 3}}},
        {"modelled_ns", ns},
        {"bound", bound}};
    std::ofstream(file_, std::ios::app) << line.dump() << "\n";
  }
  Profile read() const { return read_profile(file_, false); }

  const std::filesystem::path file_ =
      std::filesystem::temp_directory_path() / ("geak-profile-test-" + std::to_string(::getpid()));
};

TEST_F(ProfileTest, LaunchesOfAKernelAreAdded) {
  write("_Z3fooPf", 1000, "memory");
  write("bar", 9000, "valu");
  write("_Z3fooPf", 2000, "l2", 3);
  const Profile profile = read();
  ASSERT_EQ(profile.kernels.size(), 2u);
  EXPECT_EQ(profile.kernels[0].name, "bar");
  const KernelProfile& foo = profile.kernels[1];
  EXPECT_EQ(foo.name, "foo(float*)");
  EXPECT_EQ(foo.bound, "l2");
  EXPECT_EQ(foo.launches.size(), 2u);
  EXPECT_DOUBLE_EQ(foo.modelled_ns, 3000);
  EXPECT_DOUBLE_EQ(foo.share, 0.25);
  EXPECT_EQ(foo.sums["instructions"], 400);
  EXPECT_EQ(foo.sums["executed"]["valu"], 160);
  EXPECT_EQ(foo.sums["resources"]["vgprs"], 32) << "a property, not a count";
  EXPECT_EQ(profile.evidence(), "modelled(gfx90a)");
}

TEST_F(ProfileTest, MetricsAreRatiosOfTheCounts) {
  write("k", 50, "valu");
  const ProfileMetrics m = read().kernels.at(0).metrics;
  EXPECT_DOUBLE_EQ(m.active_lanes, 0.5) << "1600 of 50 vector instructions' 3200 lanes";
  EXPECT_DOUBLE_EQ(m.read_lines, 4);
  EXPECT_DOUBLE_EQ(m.read_use, 0.5);
  EXPECT_DOUBLE_EQ(m.write_lines, 0);
  EXPECT_DOUBLE_EQ(m.l1_hits, 0.75);
  EXPECT_DOUBLE_EQ(m.lds_conflicts, 0.25);
  EXPECT_DOUBLE_EQ(m.barrier_wait, 0.25);
  EXPECT_DOUBLE_EQ(m.instructions_per_ns, 2);
  EXPECT_DOUBLE_EQ(m.instructions_per_byte, 2);
}

TEST_F(ProfileTest, TheRuntimesOwnKernelsAreLeftOut) {
  write("__amd_rocclr_fillBufferAligned", 100, "launch");
  EXPECT_TRUE(read().kernels.empty());
  EXPECT_EQ(read_profile(file_, true).kernels.size(), 1u);
}

TEST_F(ProfileTest, ALineThatIsNoDispatchIsNamed) {
  write("k", 50, "valu");
  std::ofstream(file_, std::ios::app) << "{\"schema\": 1}\n";
  try {
    read();
    FAIL() << "accepted";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr(":2: not the counters of a dispatch"));
  }
}

TEST_F(ProfileTest, TextAndJsonSayThatTimesAreModelled) {
  write("k", 50, "valu");
  const Profile profile = read();
  const std::string text = to_text(profile, true);
  EXPECT_THAT(text, HasSubstr("modelled(gfx90a) on MI210"));
  EXPECT_THAT(text, HasSubstr("50.0% of vector instructions' lanes"));
  EXPECT_THAT(text, HasSubstr("3 VGPRs"));
  EXPECT_THAT(text, HasSubstr("grid 64x1x1 of 64x1x1"));
  const auto json = to_json(profile, {"./a"}, 0);
  EXPECT_EQ(json["evidence"], "modelled(gfx90a)");
  EXPECT_EQ(json["kernels"][0]["launches"][0]["counters"]["instructions"], 100);
  EXPECT_EQ(json["kernels"][0]["metrics"]["active_lanes"], 0.5);
}

TEST_F(ProfileTest, ThePageNeedsNothingElseAndEscapesNames) {
  write("_Z1kI1AEvT_", 50, "valu");  // void k<A>(A)
  const std::string html = to_html(read(), {"./a", "<b>"});
  EXPECT_THAT(html, HasSubstr("modelled(gfx90a)"));
  EXPECT_THAT(html, HasSubstr("void k&lt;A&gt;(A)"));
  EXPECT_THAT(html, HasSubstr("<circle"));
  EXPECT_THAT(html, Not(HasSubstr("<b>")));
  EXPECT_THAT(html, Not(HasSubstr("http")));
}

}  // namespace
}  // namespace geak::cli
