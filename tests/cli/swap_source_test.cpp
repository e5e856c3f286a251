#include "cli/swap_source.h"

#include <gmock/gmock.h>

#include <cstdlib>

#include <nlohmann/json.hpp>

#include "clang-tool/key.h"
#include "clang-tool/swap.h"
#include "support/atomic_file.h"
#include "support/verifier_version.h"
#include "tests/clang-tool/project.h"

namespace geak::cli {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* source = R"(#include <hip/hip_runtime.h>
__global__ void scale(float* data, float by, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= by;
}
void run(float* data, int n) { scale<<<(n + 63) / 64, 64>>>(data, 2.0f, n); }
)";

class SwapSource : public ::testing::Test {
 protected:
  SwapSource() {
    ::setenv("GEAK_CACHE_DIR", (project_.path() / "cache").c_str(), 1);
    project_.write("scale.hip", source);
    manifest_.target = "app";
    manifest_.kernels = {"scale"};
  }
  ~SwapSource() override { ::unsetenv("GEAK_CACHE_DIR"); }

  clang_tool::CompileCommand command(const std::string& more = "-DNDEBUG") {
    return project_.command("scale.hip",
                            {more, "--rocm-path=/usr",
                             "--rocm-device-lib-path=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode"});
  }
  clang_tool::CompileCommand command_for_both() {
    auto both = command();
    for (const char* target : {"--offload-arch=gfx908", "--offload-arch=gfx90a"})
      both.arguments.insert(both.arguments.begin() + 1, target);
    return both;
  }
  /// Puts a verified variant of `gain` for scale on `target` into the cache.
  void verify(double gain) { verify(gain, "gfx90a", command()); }
  void verify(double gain, const std::string& target, const clang_tool::CompileCommand& command) {
    clang_tool::ParseOptions parsing;
    parsing.architecture = target;
    const auto unit =
        clang_tool::TranslationUnit::parse(command, clang_tool::Pass::device, parsing);
    clang_tool::KeyOptions options;
    options.target_id = target;
    options.verifier = support::verifier_version;
    const auto keyed = clang_tool::keyed_kernels(unit, {"scale"}, options).at(0);
    clang_tool::Variant variant;
    variant.text = std::string("static __global__ void ") + clang_tool::variant_name_placeholder +
                   "(float* data, float by, int n) {\n"
                   "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                   "  if (i < n) data[i] = by * data[i];\n}";
    variant.launch.axes[0] = {support::BlockRule::multiply, 4, support::GridRule::cover, 1};
    variant = clang_tool::finish_variant("scale", variant);
    auto cache = cache::Cache::to_write();
    cache.remember({keyed.source, keyed.name, keyed.symbol}, {keyed.key.digest, {}});
    cache::Evidence evidence;
    evidence.type = {cache::EvidenceType::Kind::modelled, target};
    evidence.verification = {true, target};
    evidence.gain = gain;
    cache.add_verified(keyed.key.digest,
                       {variant.name, clang_tool::variant_digest(variant), variant.text,
                        nlohmann::json(variant.launch).dump(), variant.guard, "[]", "rules", ""},
                       evidence);
  }
  SwappedSource swapped(const clang_tool::CompileCommand& command) {
    const auto cache = cache::Cache::to_read();
    return swap_source({manifest_, cache, command, project_.path() / "swap"});
  }
  static int compile(const clang_tool::CompileCommand& command, const std::string& more) {
    std::string line = "cd " + command.directory + " &&";
    for (const std::string& argument : command.arguments) line += " " + argument;
    return std::system((line + " " + more).c_str());
  }

  clang_tool::testing::Project project_;
  support::Manifest manifest_;
};

TEST_F(SwapSource, SelectsTheOriginalWithoutAVariant) {
  const auto result = swapped(command());
  EXPECT_EQ(result.selection, original_selection());
  EXPECT_THAT(result.seen, ElementsAre("scale"));
  EXPECT_THAT(result.files_read, Contains((project_.path() / "scale.hip").string()));
}

TEST_F(SwapSource, SwapsAVerifiedVariantIn) {
  verify(1.5);
  const auto result = swapped(command());
  ASSERT_THAT(result.kernels, SizeIs(1));
  EXPECT_EQ(result.kernels[0].proof, "1.50x modelled(gfx90a), verified(emulated gfx90a)");
  EXPECT_THAT(result.warnings, IsEmpty());
  EXPECT_THAT(result.selection, HasSubstr("overlay=" + (project_.path() / "swap").string()));
  EXPECT_EQ(compile(command(), "-ivfsoverlay " + (project_.path() / "swap/overlay.yaml").string()),
            0);
  EXPECT_EQ(
      std::system(
          ("nm " + (project_.path() / "scale.hip.o").string() + " | grep -q scale__geak_").c_str()),
      0)
      << "the object holds the variant";
  EXPECT_EQ(swapped(command()).selection, result.selection) << "the same choice, the same file";
}

TEST_F(SwapSource, DropsWhatTheKeyNoLongerCovers) {
  verify(1.5);
  EXPECT_EQ(swapped(command("-ffast-math")).selection, original_selection());
  project_.write("scale.hip", std::string(source) + "// a comment\n");
  EXPECT_NE(swapped(command()).selection, original_selection());
}

TEST_F(SwapSource, WantsAGainWorthHaving) {
  verify(1.001);
  EXPECT_EQ(swapped(command()).selection, original_selection());
}

TEST_F(SwapSource, WantsEveryArchitectureVerified) {
  verify(1.5);
  const auto both = command_for_both();
  const auto result = swapped(both);
  EXPECT_EQ(result.selection, original_selection());
  EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("but not for gfx908")));

  verify(1.4, "gfx908", both);
  const auto proven = swapped(both);
  EXPECT_THAT(proven.warnings, IsEmpty());
  ASSERT_THAT(proven.kernels, SizeIs(1));
  EXPECT_EQ(proven.kernels[0].proof,
            "1.50x modelled(gfx90a), verified(emulated gfx90a); "
            "1.40x modelled(gfx908), verified(emulated gfx908)");
}

TEST_F(SwapSource, ArchitecturesThatAreNotBuiltProveNothing) {
  verify(1.5, "gfx908", command_for_both());
  manifest_.architectures = {"gfx908"};
  EXPECT_EQ(swapped(command()).selection, original_selection());
}

}  // namespace
}  // namespace geak::cli
