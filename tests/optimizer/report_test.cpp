// Marked kernels, their keys and what is reported of them, on a small project of real HIP sources.
#include "optimizer/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "optimizer/recipe.h"
#include "tests/clang-tool/project.h"

namespace geak::optimizer {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

constexpr const char* kSource = R"(
#include <hip/hip_runtime.h>
// a comment
constexpr int kFactor = 2;
__device__ int twice(int x) { return kFactor * x; }
__global__ void blur(int* data) { data[threadIdx.x] = twice(data[threadIdx.x]); }
namespace detail {
template <int N> __global__ void scan(int* data) { data[threadIdx.x] += N; }
}
__global__ void other(int* data) { *data = 1; }
void launch(int* data) {
  blur<<<1, 64>>>(data);
  detail::scan<4><<<1, 64>>>(data);
  detail::scan<8><<<1, 64>>>(data);
}
)";

class ReportTest : public testing::Test {
 protected:
  ReportTest() {
    setenv("GEAK_CACHE_DIR", (project_.path() / "cache").c_str(), 1);
    write(kSource);
    project_.write_database({project_.command("a.hip", {}, "/usr/bin/hipcc")});
    fs::create_directories(build() / "geak" / "targets");
    write_manifest({"blur", "detail::scan<*>"});
  }
  ~ReportTest() override { unsetenv("GEAK_CACHE_DIR"); }

  fs::path build() const { return project_.path(); }
  void write(std::string text) const { project_.write("a.hip", text); }
  void write_manifest(const std::vector<std::string>& kernels) const {
    const nlohmann::json manifest = {{"schema", 1},
                                     {"target", "app"},
                                     {"build", build().string()},
                                     {"kernels", kernels},
                                     {"sources",
                                      {{{"path", (project_.path() / "a.hip").string()},
                                        {"language", "HIP"},
                                        {"selection", (build() / "0.selection").string()}}}}};
    std::ofstream(build() / "geak" / "targets" / "app.json") << manifest.dump();
  }
  std::vector<KeyedKernel> kernels() const {
    std::vector<KeyedKernel> all;
    for (const auto& manifest : support::manifests_of_build(build()))
      for (const auto& marked : find_marked_kernels(manifest).kernels)
        all.push_back(with_key(marked));
    return all;
  }
  BuildReport report() const { return report_build(build(), cache::Cache::to_read(), ""); }
  static void replace(std::string& text, const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
  }

  clang_tool::testing::Project project_;
};

TEST_F(ReportTest, MarkedKernelsAreThoseTheGlobsName) {
  std::vector<std::string> names;
  for (const auto& kernel : kernels()) names.push_back(kernel.marked.full_name());
  EXPECT_THAT(names, ElementsAre("blur", "detail::scan<4>", "detail::scan<8>"));
  EXPECT_EQ(kernels()[0].architecture(), "gfx90a");
  EXPECT_NE(kernels()[1].key.digest, kernels()[2].key.digest);
}

TEST_F(ReportTest, AGlobWithoutAKernelIsAProblemThatNamesIt) {
  write_manifest({"blur", "nothing_*"});
  const auto problems = report().problems;
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_NE(problems[0].find("nothing_*"), std::string::npos);
}

TEST_F(ReportTest, StatesFollowTheCacheAndTheSelection) {
  EXPECT_EQ(report().kernels.at(0).state, "marked");
  auto cache = cache::Cache::to_write();
  const auto kernel = kernels()[0];
  const auto type = evidence_for(kernel);
  cache.remember(kernel.name, kernel.key);
  cache.set_search(kernel.key.digest, type,
                   {cache::Search::State::finished, "no gain", 3, 1, 1, 0});
  EXPECT_EQ(report().kernels.at(0).state, "no_gain");

  cache::Evidence evidence;
  evidence.type = type;
  evidence.verification = {true, "gfx90a"};
  evidence.gain = 1.5;
  evidence.counters = "{}";
  cache.add_verified(kernel.key.digest,
                     {"blur__geak_00c0ffee", "00c0ffee", "", "{}", "", "[]", "rules", ""},
                     evidence);
  EXPECT_EQ(report().kernels.at(0).state, "optimized");
  EXPECT_EQ(to_document(report())["kernels"][0]["ratio"], 1.5);
  EXPECT_EQ(to_document(report())["kernels"][0]["evidence"], "modelled(gfx90a)");

  std::ofstream(build() / "generated.hip") << "blur__geak_00c0ffee<<<1, 64>>>(data);";
  std::ofstream(build() / "0.selection")
      << "version=1\nvariant=ab\nfile=" << (build() / "generated.hip").string() << "\n";
  EXPECT_EQ(report().kernels.at(0).state, "swapped");

  std::string changed = kSource;
  replace(changed, "kFactor = 2", "kFactor = 3");
  write(changed);
  EXPECT_EQ(report().kernels.at(0).state, "stale");
  EXPECT_EQ(report().kernels.at(1).state, "marked");
}

TEST_F(ReportTest, ASearchWithoutGainSaysWhatItTried) {
  auto cache = cache::Cache::to_write();
  const auto kernel = kernels()[0];
  const auto type = evidence_for(kernel);
  using State = cache::Search::State;
  const auto now_reported = [&](State state, const std::string& outcome) {
    cache.set_search(kernel.key.digest, type, {state, outcome, 2, 1, 1, 0});
    return report().kernels.at(0);
  };
  cache.remember(kernel.name, kernel.key);
  EXPECT_EQ(now_reported(State::interrupted, "").state, "marked");
  EXPECT_EQ(now_reported(State::out_of_time, "no time").state, "failed");

  const auto recipe = [](const char* name) {
    return to_text(Recipe{{name, nlohmann::json::object()}});
  };
  cache.add_trial(kernel.key.digest, type, {"d1", recipe("unroll"), "accepted", "", 1.005, 0});
  cache.add_trial(kernel.key.digest, type, {"d2", recipe("coarsen"), "accepted", "", 0.5, 0});
  cache.add_trial(kernel.key.digest, type, {"d3", recipe("coarsen"), "rejected", "differs", 0, 0});
  const std::string tried =
      "3 candidates tried (2 verified, 1 rejected) with coarsen, unroll; the fastest at 1.00x: "
      "unroll";

  EXPECT_EQ(now_reported(State::finished, "no gain").state, "no_gain");
  EXPECT_EQ(report().kernels.at(0).reason, tried);
  EXPECT_EQ(to_document(report())["kernels"][0]["tried"],
            nlohmann::json({{"candidates", 3},
                            {"outcomes", {{"accepted", 2}, {"rejected", 1}}},
                            {"transforms", {{"coarsen", 2}, {"unroll", 1}}},
                            {"best_ratio", 1.005},
                            {"best_recipe", "unroll"}}));
  const auto ended = now_reported(State::out_of_time, "no gain");
  EXPECT_EQ(ended.state, "no_gain");
  EXPECT_EQ(ended.reason, tried + "; its time ended the search, geak optimize goes on");
  const auto stopped = now_reported(State::interrupted, "");
  EXPECT_EQ(stopped.state, "interrupted");
  EXPECT_EQ(stopped.reason, tried + "; geak optimize goes on");
}

TEST_F(ReportTest, ACommentElsewhereKeepsTheKeyAndACalleeChangesItsPart) {
  const auto before = kernels()[0].key;
  std::string changed = kSource;
  replace(changed, "// a comment", "// another, longer comment\n");
  write(changed);
  EXPECT_EQ(kernels()[0].key.digest, before.digest);
  replace(changed, "kFactor * x", "kFactor + x");
  write(changed);
  const auto after = kernels()[0].key;
  ASSERT_EQ(after.parts.size(), before.parts.size());
  for (std::size_t n = 0; n < after.parts.size(); ++n)
    EXPECT_EQ(after.parts[n].digest != before.parts[n].digest, after.parts[n].name == "callees")
        << after.parts[n].name;
}

TEST_F(ReportTest, ABuildForSeveralArchitecturesWantsEvidenceForEach) {
  project_.write_database({project_.command(
      "a.hip", {"--offload-arch=gfx90a", "--offload-arch=gfx908"}, "/usr/bin/hipcc")});
  const auto kernel = kernels()[0];
  EXPECT_THAT(kernel.marked.targets, ElementsAre("gfx90a", "gfx908"));
  ASSERT_EQ(kernel.elsewhere.size(), 1u);
  EXPECT_EQ(kernel.elsewhere[0].marked.target_id, "gfx908");
  EXPECT_NE(kernel.elsewhere[0].key.digest, kernel.key.digest);

  auto cache = cache::Cache::to_write();
  const auto verify = [&](const KeyedKernel& keyed) {
    cache::Evidence evidence;
    evidence.type = evidence_for(keyed);
    evidence.verification = {true, keyed.architecture()};
    evidence.gain = 1.5;
    evidence.counters = "{}";
    cache.remember(keyed.name, keyed.key);
    cache.set_search(keyed.key.digest, evidence.type,
                     {cache::Search::State::finished, "improved", 1, 1, 1, 0});
    cache.add_verified(keyed.key.digest,
                       {"blur__geak_00c0ffee", "00c0ffee", "", "{}", "", "[]", "rules", ""},
                       evidence);
  };
  verify(kernel);
  EXPECT_EQ(report().kernels.at(0).state, "no_gain");
  EXPECT_NE(report().kernels.at(0).reason.find("faster for gfx90a, but not for gfx908"),
            std::string::npos);
  verify(kernel.elsewhere[0]);
  EXPECT_EQ(report().kernels.at(0).state, "optimized");
}

TEST_F(ReportTest, ADamagedCacheIsReportedAndEmpty) {
  fs::create_directories(project_.path() / "cache");
  std::ofstream(project_.path() / "cache" / "geak.db") << std::string(9000, 'x');
  const auto found = report();
  EXPECT_EQ(found.kernels.at(0).state, "marked");
  ASSERT_EQ(found.problems.size(), 1u);
  EXPECT_NE(found.problems[0].find("geak.db"), std::string::npos);
}

TEST_F(ReportTest, UnknownTargetsAndBuildsAreErrors) {
  EXPECT_THROW(report_build(build(), cache::Cache::to_read(), "none"), std::runtime_error);
  EXPECT_THROW(report_build(build() / "none", cache::Cache::to_read(), ""), std::runtime_error);
}

}  // namespace
}  // namespace geak::optimizer
