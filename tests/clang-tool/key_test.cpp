#include "clang-tool/key.h"

#include <gmock/gmock.h>
#include <set>

#include "clang-tool/toolchain_digest.h"
#include "project.h"

namespace geak::clang_tool {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* header = R"(#pragma once
#define SCALE(x) ((x) * FACTOR)
#define FACTOR 3
#define UNUSED 1
using real = float;
struct Pair { real a; int b; int sum() const { return b; } };
struct Other { int x; };
constexpr int tile = 8;
constexpr int bound = tile * 2;
enum class Mode { off = 0, on = 1 };
inline __device__ int deepest(int x) { return x + 1; }
inline __device__ int helper(int x) { return deepest(x); }
inline __device__ int stranger(int x) { return x; }
)";
constexpr const char* source = R"(#include <hip/hip_runtime.h>
#include "parts.h"
// a comment
template <typename T> __global__ void work(T* out, Pair p) {
  __shared__ int stage[bound];
#ifdef FAST
  stage[0] = 2;
#endif
  stage[0] = helper(p.b) + SCALE(1) + (Mode::on == Mode::off);
  out[0] = stage[0];
}
__global__ void neighbour(int* out) { *out = 1; }
void run(float* f, int* i) { work<<<1, 1>>>(f, Pair{}); work<<<1, 1>>>(i, Pair{}); }
)";

class KeyTest : public ::testing::Test {
 protected:
  KeyTest() {
    project_.write("parts.h", header);
    project_.write("work.hip", source);
  }
  /// Keys of work<float> and work<int>.
  std::vector<KeyedKernel> keys(const std::vector<std::string>& flags = {},
                                KeyOptions options = {}) {
    options.digest_cache = project_.path() / "digests.json";
    const std::vector<std::string> all = [&] {
      std::vector<std::string> words{
          "--rocm-path=/usr", "--rocm-device-lib-path=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode"};
      words.insert(words.end(), flags.begin(), flags.end());
      return words;
    }();
    const auto unit = TranslationUnit::parse(project_.command("work.hip", all), Pass::device);
    return keyed_kernels(unit, {"work"}, options);
  }
  void edit(const std::string& file, std::string text, const std::string& from,
            const std::string& to) {
    const auto at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    project_.write(file, text.replace(at, from.size(), to));
  }
  /// Parts that differ between the first kernel's keys.
  static std::vector<std::string> changed(const std::vector<KeyedKernel>& before,
                                          const std::vector<KeyedKernel>& after) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < before.at(0).key.parts.size(); ++i)
      if (before[0].key.parts[i].digest != after.at(0).key.parts.at(i).digest)
        names.push_back(before[0].key.parts[i].name);
    EXPECT_EQ(names.empty(), before[0].key.digest == after[0].key.digest);
    return names;
  }
  std::vector<std::string> changed_by_header(const std::string& from, const std::string& to) {
    const auto before = keys();
    edit("parts.h", header, from, to);
    return changed(before, keys());
  }
  std::vector<std::string> changed_by_source(const std::string& from, const std::string& to) {
    const auto before = keys();
    edit("work.hip", source, from, to);
    return changed(before, keys());
  }

  testing::Project project_;
};

TEST_F(KeyTest, HasAllPartsAndDiffersByInstantiation) {
  const auto found = keys();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].name, "work");
  EXPECT_EQ(found[0].source, (project_.path() / "work.hip").string());
  std::vector<std::string> names;
  for (const auto& part : found[0].key.parts) names.push_back(part.name);
  EXPECT_THAT(names,
              ElementsAre("source", "callees", "types", "constants", "macros", "template_arguments",
                          "target_id", "flags", "toolchain", "verifier"));
  EXPECT_NE(found[0].key.digest, found[1].key.digest);
}

TEST_F(KeyTest, KeepsAfterEditsThatDoNotMatter) {
  EXPECT_THAT(changed_by_source("// a comment", "// another, of two\n// lines"), IsEmpty());
  EXPECT_THAT(changed_by_source("*out = 1", "*out = 2"), IsEmpty()) << "a neighbour";
  EXPECT_THAT(changed_by_source("stage[0] = 2;", "stage[0] = 9;"), IsEmpty()) << "left out by #if";
  EXPECT_THAT(changed_by_source("out[0] = stage[0];", "out[0]\n   =  stage[0]; // new"), IsEmpty());
  EXPECT_THAT(changed_by_header("UNUSED 1", "UNUSED 2"), IsEmpty());
  EXPECT_THAT(changed_by_header("int x; };", "int x, y; };"), IsEmpty());
  EXPECT_THAT(changed_by_header("{ return x; }", "{ return -x; }"), IsEmpty());
}

TEST_F(KeyTest, SaysThatTheKernelChanged) {
  EXPECT_THAT(changed_by_source("out[0] = stage[0]", "out[0] = -stage[0]"), ElementsAre("source"));
}

TEST_F(KeyTest, SaysThatACalleeChanged) {
  EXPECT_THAT(changed_by_header("return x + 1", "return x + 2"), ElementsAre("callees"));
}

TEST_F(KeyTest, SaysThatATypeChanged) {
  EXPECT_THAT(changed_by_header("int b; int sum", "int b, c; int sum"), ElementsAre("types"));
  EXPECT_THAT(changed_by_header("using real = float", "using real = double"), ElementsAre("types"));
  EXPECT_THAT(changed_by_header("on = 1", "on = 2"), ElementsAre("types"));
}

TEST_F(KeyTest, SaysThatAConstantChanged) {
  EXPECT_THAT(changed_by_header("tile = 8", "tile = 4"), Contains("constants"));
}

TEST_F(KeyTest, SaysThatAMacroChanged) {
  EXPECT_THAT(changed_by_header("FACTOR 3", "FACTOR 4"), ElementsAre("macros"));
}

TEST_F(KeyTest, SaysThatTheCommandChanged) {
  const auto before = keys();
  EXPECT_THAT(changed(before, keys({"-ffast-math"})), Contains("flags"));
  EXPECT_THAT(changed(before, keys({"-fgpu-flush-denormals-to-zero"})), Contains("flags"));
  EXPECT_THAT(changed(before, keys({"-Wall", "-DNOT_USED", "-I.", "-MD", "-g0"})).size(), 1U)
      << "-g0 alone reaches the code";
  EXPECT_THAT(changed(before, keys({"-DFAST"})), ElementsAre("source", "macros"));
}

TEST_F(KeyTest, SaysThatTargetOrVerifierChanged) {
  const auto before = keys();
  KeyOptions options;
  options.verifier = "2";
  EXPECT_THAT(changed(before, keys({}, options)), ElementsAre("verifier"));
  options = {};
  options.target_id = "gfx90a:xnack-";
  EXPECT_THAT(changed(before, keys({}, options)), ElementsAre("target_id"));
}

TEST_F(KeyTest, SeesThroughHipcc) {
  const auto files = toolchain_files(project_.command("work.hip", {}, "/usr/bin/hipcc"), "gfx90a");
  std::set<std::string> names;
  for (const auto& file : files) names.insert(file.filename().string());
  EXPECT_THAT(names, Contains(HasSubstr("libLLVM-15")));
  EXPECT_THAT(names, Contains("ocml.bc"));
  EXPECT_THAT(names, Contains("lld"));
}

TEST(DigestOfFiles, FollowsTheBytesNotTheCache) {
  testing::Project project;
  project.write("tool", "one");
  const std::vector<std::filesystem::path> files{project.path() / "tool"};
  const auto cache = project.path() / "digests.json";
  const std::string first = digest_of_files(files, cache);
  EXPECT_EQ(digest_of_files(files, cache), first);
  EXPECT_EQ(digest_of_files(files, {}), first);
  project.write("digests.json", "damaged {");
  EXPECT_EQ(digest_of_files(files, cache), first);
  project.write("tool", "two!");
  EXPECT_NE(digest_of_files(files, cache), first);
  EXPECT_THROW(digest_of_files({project.path() / "gone"}, cache), std::runtime_error);
}

}  // namespace
}  // namespace geak::clang_tool
