// Which variant a build gets, for one target and for several.
#include "optimizer/select.h"

#include <gtest/gtest.h>

#include "support/scratch_folder.h"

namespace geak::optimizer {
namespace {

constexpr const char* kOneStep = R"([{"transform": "a", "parameters": {}}])";
constexpr const char* kTwoSteps =
    R"([{"transform": "a", "parameters": {}}, {"transform": "b", "parameters": {}}])";

class SelectTest : public testing::Test {
 protected:
  SelectTest() {
    for (const auto& target : {here_, there_})
      cache_.remember({"/s/a.hip", "blur", "_Z4blurv"}, {target.key_digest, {}});
  }

  void verify(const KeyedTarget& target, const std::string& digest, double gain,
              const char* recipe = kOneStep) {
    cache::Evidence evidence;
    evidence.type = target.type;
    evidence.verification = {true, target.type.where};
    evidence.gain = gain;
    cache_.add_verified(target.key_digest,
                        {"blur__geak_" + digest, digest, "", "{}", "", recipe, "rules", ""},
                        evidence);
  }
  std::string selected(const std::vector<KeyedTarget>& targets) const {
    const auto best = select_for_all(cache_, targets);
    return best ? best->variant.digest : "";
  }

  const support::ScratchFolder folder_{"geak-select-test"};
  cache::Cache cache_ = cache::Cache::to_write(folder_.path() / "geak.db");
  const KeyedTarget here_{"gfx90a", "k1", {cache::EvidenceType::Kind::modelled, "gfx90a"}};
  const KeyedTarget there_{"gfx942", "k2", {cache::EvidenceType::Kind::modelled, "gfx942"}};
};

TEST_F(SelectTest, OneTargetTakesTheFastestAndOfEqualsTheShortest) {
  EXPECT_EQ(selected({}), "");
  EXPECT_EQ(selected({here_}), "");
  verify(here_, "00000001", 1.5);
  verify(here_, "00000002", 1.7, kTwoSteps);
  EXPECT_EQ(selected({here_}), "00000002");
  verify(here_, "00000003", 1.695);
  EXPECT_EQ(selected({here_}), "00000003");
  EXPECT_EQ(selected({there_}), "");
}

TEST_F(SelectTest, EvidenceOfAnotherTypeDoesNotCount) {
  verify(there_, "00000001", 1.5);
  EXPECT_EQ(selected({{"gfx90a", "k2", here_.type}}), "");
}

TEST_F(SelectTest, EveryTargetMustBeFaster) {
  verify(here_, "00000001", 2.0);
  EXPECT_EQ(selected({here_, there_}), "");
  verify(there_, "00000001", 1.0);  // verified, and no gain
  EXPECT_EQ(selected({here_, there_}), "");
  verify(there_, "00000001", 1.2);
  EXPECT_EQ(selected({here_, there_}), "00000001");
}

TEST_F(SelectTest, TheMeanOverTheTargetsDecides) {
  verify(here_, "00000001", 2.0);
  verify(there_, "00000001", 1.1);
  verify(here_, "00000002", 1.6);
  verify(there_, "00000002", 1.6);
  EXPECT_EQ(selected({here_, there_}), "00000002");
  EXPECT_EQ(selected({here_}), "00000001");
  const auto best = select_for_all(cache_, {here_, there_});
  EXPECT_EQ(best->evidence.type, here_.type);
}

TEST_F(SelectTest, SaysWhichTargetsLackEvidence) {
  EXPECT_EQ(unproven(cache_, {"gfx90a", "gfx942"}, {here_, there_}), "");
  verify(here_, "00000001", 2.0);
  const std::string lacking = unproven(cache_, {"gfx90a", "gfx942"}, {here_, there_});
  EXPECT_NE(lacking.find("faster for gfx90a, but not for gfx942"), std::string::npos) << lacking;
  EXPECT_EQ(unproven(cache_, {"gfx90a", "gfx942"}, {here_}), lacking);  // no such kernel there
  verify(there_, "00000002", 2.0);
  EXPECT_NE(unproven(cache_, {"gfx90a", "gfx942"}, {here_, there_}).find("none is for all"),
            std::string::npos);
  verify(there_, "00000001", 2.0);
  EXPECT_EQ(unproven(cache_, {"gfx90a", "gfx942"}, {here_, there_}), "");
}

}  // namespace
}  // namespace geak::optimizer
