// What a worker measured, in the cache: as measured on its device, and as nothing else.
#include "optimizer/import_result.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "clang-tool/variant.h"
#include "optimizer/select.h"

namespace geak::optimizer {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

class ImportTest : public testing::Test {
 protected:
  ImportTest()
      : folder_(fs::temp_directory_path() / ("geak-import-" + std::to_string(::getpid()))),
        cache_((fs::remove_all(folder_), fs::create_directories(folder_),
                cache::Cache::to_write(folder_ / "geak.db"))) {
    cache_.remember({"/src/blur.hip", "blur", "_Z4blurPf"}, {"key", {}});
  }
  ~ImportTest() override { fs::remove_all(folder_); }

  static json variant() {
    clang_tool::Variant variant;
    variant.text = std::string("__global__ void ") + clang_tool::variant_name_placeholder + "() {}";
    const auto finished = clang_tool::finish_variant("blur", variant);
    return {{"name", finished.name},     {"digest", clang_tool::variant_digest(finished)},
            {"text", finished.text},     {"guard", ""},
            {"launch", finished.launch}, {"recipe", json::array()},
            {"generator", "rules"},      {"parent", ""}};
  }
  static json candidate(const json& variant, double original, double found) {
    return {{"digest", variant["digest"]},
            {"outcome", "accepted"},
            {"recipe", json::array()},
            {"original_ns", original},
            {"candidate_ns", found},
            {"gain", original / found},
            {"noise", 0.01},
            {"inputs_tried", 5},
            {"variant", variant}};
  }
  static json result(const json& candidates, const std::string& key = "key") {
    return {{"schema", 1},
            {"device", "NVIDIA H200"},
            {"kernels", json::array({{{"target", "app"},
                                      {"kernel", "blur"},
                                      {"key", key},
                                      {"size", "larger"},
                                      {"candidates", candidates}}})}};
  }

  const cache::EvidenceType measured_{cache::EvidenceType::Kind::measured, "NVIDIA H200"};
  const cache::EvidenceType modelled_{cache::EvidenceType::Kind::modelled, "gfx90a"};
  fs::path folder_;
  cache::Cache cache_;
};

TEST_F(ImportTest, MeasuredOnItsDeviceAndNeverChosenForAnAmdBuild) {
  const auto done = import_result(result(json::array({candidate(variant(), 300, 100)})), cache_);
  EXPECT_EQ(done.verified, 1u);
  const auto best = select(cache_, "key", measured_);
  ASSERT_TRUE(best);
  EXPECT_DOUBLE_EQ(best->evidence.gain, 3);
  EXPECT_EQ(best->evidence.type.text(), "measured(NVIDIA H200)");
  EXPECT_EQ(best->evidence.verification.text(), "verified(NVIDIA H200)");
  EXPECT_FALSE(select(cache_, "key", modelled_));
}

TEST_F(ImportTest, MeasuredOnTheTargetsOwnHardwareComesBeforeTheModel) {
  const auto modelled = variant();
  auto other = clang_tool::Variant{};
  other.text = std::string("int ") + clang_tool::variant_name_placeholder + ";";
  const auto measured = clang_tool::finish_variant("blur", other);
  const auto evidence = [&](const cache::EvidenceType& type, double gain) {
    return cache::Evidence{type, {}, 100 * gain, 100, gain, 0, 1, "", "{}", ""};
  };
  cache_.add_verified(
      "key", {modelled["name"], modelled["digest"], modelled["text"], "{}", "", "[]", "rules", ""},
      evidence(modelled_, 3));
  ASSERT_TRUE(select(cache_, "key", modelled_));
  cache_.add_verified("key",
                      {measured.name, clang_tool::variant_digest(measured), measured.text, "{}", "",
                       "[]", "rules", ""},
                      evidence({cache::EvidenceType::Kind::measured, "AMD Instinct MI210"}, 1.5));
  const auto best = select(cache_, "key", modelled_);
  ASSERT_TRUE(best);
  EXPECT_EQ(best->variant.name, measured.name);
  EXPECT_EQ(best->evidence.type.text(), "measured(AMD Instinct MI210)");
}

TEST_F(ImportTest, ChangedOnTheWayIsPassedOver) {
  auto changed = variant();
  changed["text"] = changed["text"].get<std::string>() + " // and more";
  const auto done = import_result(result(json::array({candidate(changed, 300, 100)})), cache_);
  EXPECT_EQ(done.verified, 0u);
  ASSERT_EQ(done.problems.size(), 1u);
  EXPECT_THAT(done.problems[0], HasSubstr("not as it was bundled"));
  EXPECT_FALSE(select(cache_, "key", measured_));
}

TEST_F(ImportTest, WrongOnOneSizeIsLostOnAll) {
  auto document = result(json::array({candidate(variant(), 300, 100)}));
  document["kernels"].push_back(document["kernels"][0]);
  document["kernels"][1]["candidates"] =
      json::array({{{"digest", variant()["digest"]},
                    {"outcome", "rejected"},
                    {"reason", "differs"},
                    {"attack", "17: part of the output is wrong"}}});
  EXPECT_EQ(import_result(document, cache_).verified, 0u);
  EXPECT_FALSE(select(cache_, "key", measured_));
  const auto trials = cache_.trials("key", measured_);
  ASSERT_EQ(trials.size(), 1u);
  EXPECT_EQ(trials[0].reason, "differs");
}

TEST_F(ImportTest, NeverRunOnOneSizeSaysNothing) {
  auto document = result(json::array({candidate(variant(), 300, 100)}));
  document["kernels"].push_back(document["kernels"][0]);
  document["kernels"][1]["candidates"] =
      json::array({{{"digest", variant()["digest"]},
                    {"outcome", "rejected"},
                    {"attack", "23: an optimized branch that is never taken"}}});
  EXPECT_EQ(import_result(document, cache_).verified, 1u);
}

TEST_F(ImportTest, AnUnknownKernelIsAProblemWithARemedy) {
  const auto done =
      import_result(result(json::array({candidate(variant(), 300, 100)}), "other"), cache_);
  EXPECT_EQ(done.verified, 0u);
  ASSERT_EQ(done.problems.size(), 1u);
  EXPECT_THAT(done.problems[0], HasSubstr("bundle it again"));
}

TEST_F(ImportTest, WhatIsNoResultIsRefused) {
  EXPECT_THROW(import_result(json::array(), cache_), std::runtime_error);
  EXPECT_THROW(import_result({{"schema", 2}, {"kernels", json::array()}}, cache_),
               std::runtime_error);
  EXPECT_THROW(
      import_result({{"schema", 1}, {"kernels", {{{"key", "key"}}}}, {"device", "x"}}, cache_),
      std::runtime_error);
}

TEST_F(ImportTest, WhatWasOnlyTimedSteersTheSearchAndIsNoVariant) {
  auto timed = candidate(variant(), 300, 100);
  timed["outcome"] = "timed";
  timed.erase("variant");
  const auto done = import_result(result(json::array({timed})), cache_);
  EXPECT_EQ(done.verified, 0u);
  EXPECT_TRUE(cache_.verified("key").empty());
  const auto trials = cache_.trials("key", measured_);
  ASSERT_EQ(trials.size(), 1u);
  EXPECT_EQ(trials.front().outcome, "timed");
  EXPECT_DOUBLE_EQ(trials.front().gain, 3);
}

TEST_F(ImportTest, TheEmulatedGpuMeasuresNothing) {
  auto modelled = result(json::array({candidate(variant(), 300, 100)}));
  modelled["device"] = "AMD Instinct MI210 (emulated by geak)";
  EXPECT_THROW(import_result(modelled, cache_), std::runtime_error);
  EXPECT_TRUE(cache_.trials("key", measured_).empty());
}

}  // namespace
}  // namespace geak::optimizer
