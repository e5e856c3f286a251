// The loop over a real cache and the real search; the landscape of gains is a function, so that
// every trial's answer is known beforehand.
#include "optimizer/loop.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <map>
#include <thread>

#include "optimizer/search.h"
#include "optimizer/select.h"

namespace geak::optimizer {
namespace {

using Outcome = Assessment::Outcome;

clang_tool::RecipeStep step(const std::string& name) { return {name, nlohmann::json::object()}; }

clang_tool::RecipeStep sequence(const std::vector<std::string>& names) {
  auto inner = nlohmann::json::array();
  for (const auto& name : names) inner.push_back(step(name));
  return {"sequence", {{"steps", inner}}};
}

// As of the real transforms, the text of a sequence is that of its steps.
Candidate candidate_of(const Recipe& recipe) {
  clang_tool::Variant variant;
  variant.text = "// " + describe(recipe) + "\nvoid " +
                 std::string(clang_tool::variant_name_placeholder) + "();";
  variant.recipe = recipe;
  return {recipe, clang_tool::finish_variant("blur", variant), ""};
}

class SearchGenerator : public Generator {
 public:
  explicit SearchGenerator(std::vector<clang_tool::RecipeStep> steps = {step("a"), step("b"),
                                                                        step("c")})
      : search_(std::move(steps), {}, {}) {}
  std::string name() const override { return "rules"; }
  std::optional<Candidate> next() override {
    const auto recipe = search_.next();
    return recipe ? std::optional(candidate_of(*recipe)) : std::nullopt;
  }
  std::optional<Candidate> make(const Recipe& recipe) override {
    if (!recipe.empty() && recipe.front().transform == "needs a") return std::nullopt;
    return candidate_of(recipe);
  }
  void report(const Recipe& recipe, const Assessment& assessment, bool earlier) override {
    search_.report({recipe, assessment.has_gain() ? Report::Kind::right : Report::Kind::failed,
                    assessment.gain},
                   !earlier);
  }
  std::string ended_by() const override { return search_.ended_by(); }

 private:
  Search search_;
};

class Landscape : public Evaluator {
 public:
  Assessment baseline() override {
    ++baselines;
    return {base, base == Outcome::accepted ? "" : "the record does not replay",
            1000, 1000,
            1,    0,
            1,    "memory transactions",
            "{}", ""};
  }
  std::vector<Assessment> look(const std::vector<Candidate>& candidates) override {
    std::vector<Assessment> looks;
    for (const auto& candidate : candidates) {
      asked.push_back(describe(candidate.recipe));
      looks.push_back(evaluate(candidate, Outcome::timed));
      if (static_cast<int>(asked.size()) == interrupt_at)
        looks.back() = Assessment::without_gain(Outcome::interrupted, "");
    }
    return looks;
  }
  Assessment assess(const Candidate& candidate) override {
    judged.push_back(describe(candidate.recipe));
    std::this_thread::sleep_for(judgement);
    if (wrong_at_last == judged.back())
      return Assessment::without_gain(Outcome::rejected, "wrong on a fresh input");
    return evaluate(candidate, Outcome::accepted);
  }
  Assessment evaluate(const Candidate& candidate, Outcome outcome) const {
    double gain = 1;
    for (const auto& one : flattened(candidate.recipe)) {
      if (one.transform == "c")
        return Assessment::without_gain(Outcome::rejected, "output differs");
      gain *= one.transform == "a"      ? 1.5
              : one.transform == "slow" ? 0.9
              : one.transform == "b"    ? gain_of_b
                                        : 1;
    }
    if (no_gain) gain = 1;
    return {outcome, "", 1000, 1000 / gain, gain, 0, 3, "memory transactions", "{}", ""};
  }
  Outcome base = Outcome::accepted;
  bool no_gain = false;
  double gain_of_b = 1.2;
  std::string wrong_at_last;
  std::chrono::milliseconds judgement{0};  // what one takes
  int baselines = 0, interrupt_at = 0;
  std::vector<std::string> asked, judged;
};

class LoopTest : public testing::Test {
 protected:
  LoopTest()
      : folder_(std::filesystem::temp_directory_path() / ("geak-loop-" + std::to_string(getpid()))),
        cache_(cache::Cache::to_write(folder_ / "geak.db")) {
    cache_.remember({"/s/a.hip", "blur", "_Z4blurv"}, {"k", {}});
    settings_.progress = [this](const std::string& line) { lines_ += line + "\n"; };
  }
  ~LoopTest() override { std::filesystem::remove_all(folder_); }
  LoopResult run(Evaluator& evaluator) {
    SearchGenerator generator;
    return improve(cache_, "k", type_, {true, "gfx90a"}, generator, evaluator, settings_);
  }

  const cache::EvidenceType type_{cache::EvidenceType::Kind::modelled, "gfx90a"};
  std::filesystem::path folder_;
  cache::Cache cache_;
  LoopSettings settings_;
  std::string lines_;
};

TEST_F(LoopTest, TheBestVerifiedVariantIsSelectedAndKept) {
  Landscape landscape;
  const auto result = run(landscape);
  EXPECT_EQ(result.end, LoopResult::End::finished);
  ASSERT_TRUE(result.best);
  EXPECT_NEAR(result.best->evidence.gain, 1.8, 1e-9);
  EXPECT_EQ(result.best->variant.generator, "rules");
  EXPECT_EQ(result.best->evidence.verification.text(), "verified(emulated gfx90a)");
  EXPECT_EQ(cache_.search("k", type_)->state, cache::Search::State::finished);
  EXPECT_EQ(cache_.search("k", type_)->outcome, "improved");
  EXPECT_EQ(landscape.baselines, 1);
  EXPECT_NE(lines_.find("limited by memory transactions"), std::string::npos) << lines_;
  EXPECT_NE(lines_.find("output differs"), std::string::npos) << lines_;
}

TEST_F(LoopTest, TheBestIsTriedWithoutEachOfItsSteps) {
  Landscape landscape;
  SearchGenerator generator({sequence({"a", "b"})});
  const auto result =
      improve(cache_, "k", type_, {true, "gfx90a"}, generator, landscape, settings_);
  ASSERT_EQ(result.shares.size(), 2U);
  EXPECT_EQ(result.shares[0].step, step("a"));
  EXPECT_NEAR(result.shares[0].ratio.value(), 1.5, 1e-9);
  EXPECT_NEAR(result.shares[1].ratio.value(), 1.2, 1e-9);
  EXPECT_EQ(landscape.judged, std::vector<std::string>{"a + b"}) << "its parts cannot win";
}

TEST_F(LoopTest, AStepThatTheOthersNeedHasNoShare) {
  Landscape landscape;
  SearchGenerator generator({sequence({"a", "needs a"})});
  const auto result =
      improve(cache_, "k", type_, {true, "gfx90a"}, generator, landscape, settings_);
  ASSERT_EQ(result.shares.size(), 2U);
  EXPECT_FALSE(result.shares[0].ratio);
  EXPECT_NEAR(result.shares[1].ratio.value(), 1, 1e-9);
}

TEST_F(LoopTest, AStepThatOnlySlowsIsLeftOut) {
  Landscape landscape;
  SearchGenerator generator({sequence({"a", "slow", "b"})});
  const auto result =
      improve(cache_, "k", type_, {true, "gfx90a"}, generator, landscape, settings_);
  ASSERT_TRUE(result.best);
  EXPECT_NEAR(result.best->evidence.gain, 1.8, 1e-9);
  ASSERT_EQ(result.shares.size(), 2U) << "of what is best at last";
  EXPECT_EQ(result.shares[1].step, step("b"));
}

TEST_F(LoopTest, RejectedCandidatesLeaveATrialButNoVariant) {
  Landscape landscape;
  run(landscape);
  for (const auto& one : cache_.verified("k"))
    EXPECT_EQ(one.variant.recipe.find("\"c\""), std::string::npos);
  bool seen = false;
  for (const auto& trial : cache_.trials("k", type_)) seen |= trial.outcome == "rejected";
  EXPECT_TRUE(seen);
}

TEST_F(LoopTest, OnlyWhatCouldWinIsJudged) {
  Landscape landscape;
  const auto result = run(landscape);
  ASSERT_TRUE(result.best);
  EXPECT_EQ(landscape.judged, (std::vector<std::string>{"a", "b + a"}));
  // The others are known, and are no variants.
  std::map<std::string, std::string> outcomes;
  for (const auto& trial : cache_.trials("k", type_))
    outcomes[describe(recipe_from_text(trial.recipe))] = trial.outcome;
  EXPECT_EQ(outcomes["b"], "timed");
  EXPECT_EQ(outcomes["c"], "rejected");
  EXPECT_EQ(cache_.verified("k").size(), 2u);
}

TEST_F(LoopTest, WhatIsWrongAtLastIsNeitherSelectedNorBuiltUpon) {
  settings_.at_once = 1;
  Landscape landscape;
  landscape.wrong_at_last = "a";
  const auto result = run(landscape);
  for (const auto& one : landscape.judged) EXPECT_NE(one, "a + c");
  ASSERT_TRUE(result.best);
  EXPECT_NE(result.best->variant.recipe, to_text(Recipe{step("a")}));
  for (const auto& one : cache_.verified("k"))
    EXPECT_NE(one.variant.recipe, to_text(Recipe{step("a")}));
}

TEST_F(LoopTest, WhatIsAheadByLittleIsJudgedAtTheEndAlone) {
  settings_.at_once = 1;
  Landscape landscape;
  landscape.gain_of_b = 1.03;
  EXPECT_NEAR(run(landscape).best->evidence.gain, 1.5 * 1.03, 1e-9);
  EXPECT_EQ(landscape.judged, (std::vector<std::string>{"a", "b + a"}));
}

TEST_F(LoopTest, ForAnotherTargetAllAreJudged) {
  settings_.at_once = 1;
  settings_.judge_all = true;
  Landscape landscape;
  landscape.no_gain = true;
  run(landscape);
  EXPECT_GE(landscape.judged.size(), 2u);
}

// What is fastest here may lose on another target, which tries what is verified here.
TEST_F(LoopTest, ForSeveralTargetsTheNextBestAreVerifiedToo) {
  settings_.at_once = 1;
  settings_.verified_wanted = 3;
  Landscape landscape;
  const auto result = run(landscape);
  ASSERT_TRUE(result.best);
  EXPECT_NEAR(result.best->evidence.gain, 1.8, 1e-9);
  EXPECT_EQ(landscape.judged.size(), 3u);
  EXPECT_EQ(cache_.verified("k").size(), 3u);
}

TEST_F(LoopTest, TheNextBestAreLeftForTheNextRunWhereTimeIsShort) {
  settings_.at_once = 1;
  settings_.verified_wanted = 3;
  settings_.seconds = 0.5;
  Landscape slow;
  slow.judgement = std::chrono::milliseconds(200);
  const auto first = run(slow);
  EXPECT_EQ(first.end, LoopResult::End::out_of_time);
  settings_.seconds = 60;
  Landscape rest;
  EXPECT_EQ(run(rest).end, LoopResult::End::finished);
  EXPECT_EQ(cache_.verified("k").size(), 3u);
}

TEST_F(LoopTest, AFinishedSearchIsNotRepeatedUnlessAsked) {
  Landscape landscape;
  run(landscape);
  const auto asked = landscape.asked.size();
  const auto second = run(landscape);
  EXPECT_TRUE(second.from_cache);
  EXPECT_TRUE(second.best);
  EXPECT_EQ(landscape.asked.size(), asked);
  settings_.again = true;
  EXPECT_FALSE(run(landscape).from_cache);
  EXPECT_EQ(landscape.asked.size(), asked);  // all that it could ask for is known
}

TEST_F(LoopTest, AnInterruptKeepsWhatWasVerifiedAndTheNextRunResumes) {
  settings_.at_once = 1;
  Landscape landscape;
  landscape.interrupt_at = 3;
  const auto first = run(landscape);
  EXPECT_EQ(first.end, LoopResult::End::interrupted);
  ASSERT_TRUE(first.best);
  EXPECT_NEAR(first.best->evidence.gain, 1.5, 1e-9);
  EXPECT_EQ(cache_.search("k", type_)->state, cache::Search::State::interrupted);

  Landscape rest;
  const auto second = run(rest);
  EXPECT_EQ(second.end, LoopResult::End::finished);
  EXPECT_NEAR(second.best->evidence.gain, 1.8, 1e-9);
  for (const auto& recipe : rest.asked) {
    EXPECT_NE(recipe, "a");
    EXPECT_NE(recipe, "b");
  }
}

TEST_F(LoopTest, NoGainIsAResult) {
  Landscape landscape;
  landscape.no_gain = true;
  const auto result = run(landscape);
  EXPECT_FALSE(result.best);
  EXPECT_EQ(cache_.search("k", type_)->outcome, "no gain");
  EXPECT_TRUE(cache_.verified("k").empty());
  EXPECT_TRUE(run(landscape).from_cache);
}

TEST_F(LoopTest, TimeThatEndsWithoutGainIsNoGainAndTheNextRunGoesOn) {
  Landscape landscape;
  landscape.no_gain = true;
  landscape.interrupt_at = 3;
  settings_.at_once = 1;
  run(landscape);  // two verdicts, then stopped
  EXPECT_EQ(cache_.search("k", type_)->outcome, "");
  settings_.seconds = 0;
  EXPECT_EQ(run(landscape).end, LoopResult::End::out_of_time);
  EXPECT_EQ(cache_.search("k", type_)->state, cache::Search::State::out_of_time);
  EXPECT_EQ(cache_.search("k", type_)->outcome, "no gain");
  settings_.seconds = 60;
  EXPECT_FALSE(run(landscape).from_cache);
}

TEST_F(LoopTest, NoGainIsNotSaidOfASearchWithoutTime) {
  Landscape landscape;
  settings_.seconds = 0;
  EXPECT_EQ(run(landscape).end, LoopResult::End::out_of_time);
  EXPECT_NE(cache_.search("k", type_)->outcome, "no gain");
}

TEST_F(LoopTest, AnOriginalThatDoesNotReplayIsImpossibleAndTriedAgainLater) {
  Landscape landscape;
  landscape.base = Outcome::failed;
  const auto result = run(landscape);
  EXPECT_EQ(result.end, LoopResult::End::impossible);
  EXPECT_EQ(result.reason, "the record does not replay");
  EXPECT_TRUE(landscape.asked.empty());
  landscape.base = Outcome::accepted;
  EXPECT_TRUE(run(landscape).best);
}

TEST_F(LoopTest, WhereNothingCompilesTheResultIsNoNoGain) {
  class Broken : public Landscape {
    std::vector<Assessment> look(const std::vector<Candidate>& candidates) override {
      return {candidates.size(),
              Assessment::without_gain(Outcome::does_not_compile, "no such compiler")};
    }
  } broken;
  const auto result = run(broken);
  EXPECT_EQ(result.end, LoopResult::End::impossible);
  EXPECT_NE(result.reason.find("no such compiler"), std::string::npos) << result.reason;
  EXPECT_TRUE(cache_.trials("k", type_).empty());
  Landscape mended;
  EXPECT_TRUE(run(mended).best);
}

TEST_F(LoopTest, TheBudgetOfTimeAndTheStopEndIt) {
  Landscape landscape;
  settings_.seconds = 0;
  EXPECT_EQ(run(landscape).end, LoopResult::End::out_of_time);
  settings_.seconds = 60;
  settings_.stop = [] { return true; };
  EXPECT_EQ(run(landscape).end, LoopResult::End::interrupted);
  EXPECT_TRUE(landscape.asked.empty());
}

// The first judgement is what the time was kept for; others must end within it.
TEST_F(LoopTest, JudgementsThatTheTimeWouldNotDoForAreLeftToTheNextRun) {
  Landscape landscape;
  landscape.judgement = std::chrono::milliseconds(600);
  settings_.at_once = 1;
  settings_.seconds = 1;
  const auto started = std::chrono::steady_clock::now();
  const auto result = run(landscape);
  EXPECT_LT(std::chrono::steady_clock::now() - started, std::chrono::milliseconds(1200));
  EXPECT_EQ(landscape.judged, std::vector<std::string>{"a"});
  EXPECT_EQ(result.end, LoopResult::End::out_of_time);
  ASSERT_TRUE(result.best);
  for (const auto& trial : cache_.trials("k", type_))
    EXPECT_NE(trial.recipe, to_text(Recipe{step("b"), step("a")})) << "nobody gave a verdict";
  landscape.judgement = {};
  settings_.seconds = 60;
  EXPECT_NEAR(run(landscape).best->evidence.gain, 1.5 * 1.2, 1e-9);
}

TEST_F(LoopTest, ABatchThatTheTimeWouldNotDoForIsCutShort) {
  class Slow : public Landscape {
    std::vector<Assessment> look(const std::vector<Candidate>& candidates) override {
      std::this_thread::sleep_for(candidates.size() * std::chrono::milliseconds(20));
      return Landscape::look(candidates);
    }
  } slow;
  slow.no_gain = true;
  std::vector<clang_tool::RecipeStep> steps;
  for (int i = 0; i < 60; ++i) steps.push_back(step("step" + std::to_string(i)));
  SearchGenerator generator(steps);
  settings_.at_once = 20;
  settings_.seconds = 0.6;  // a batch takes 0.4 s or more
  const auto result = improve(cache_, "k", type_, {true, "gfx90a"}, generator, slow, settings_);
  EXPECT_EQ(result.end, LoopResult::End::out_of_time);
  EXPECT_GE(slow.asked.size(), 20u);
  EXPECT_LT(slow.asked.size(), 40u);
}

TEST_F(LoopTest, OfVariantsAsGoodTheOneForMoreSizesIsJudgedAndSelected) {
  const clang_tool::RecipeStep constant{"specialize", {{"arguments", {{"1", 512}}}}};
  const auto best_of = [&](double gain_of_constant) {
    class Constants : public Landscape {
     public:
      explicit Constants(double gain) : gain_(gain) {}
      std::vector<Assessment> look(const std::vector<Candidate>& candidates) override {
        auto looks = Landscape::look(candidates);
        for (std::size_t i = 0; i < looks.size(); ++i) change(candidates[i], looks[i]);
        return looks;
      }
      Assessment assess(const Candidate& candidate) override {
        auto assessment = Landscape::assess(candidate);
        change(candidate, assessment);
        return assessment;
      }

     private:
      void change(const Candidate& candidate, Assessment& assessment) const {
        if (!is_for_seen_values(candidate.recipe)) return;
        assessment.gain = gain_;
        assessment.variant_ns = 1000 / gain_;
      }
      double gain_;
    } landscape(gain_of_constant);
    SearchGenerator generator({constant, step("a")});
    settings_.again = true;
    cache_.remember({"/s/a.hip", "blur", "_Z4blurv"}, {std::to_string(gain_of_constant), {}});
    return improve(cache_, std::to_string(gain_of_constant), type_, {true, "gfx90a"}, generator,
                   landscape, settings_)
        .best->variant.recipe;
  };
  EXPECT_EQ(best_of(1.52), to_text(Recipe{step("a")}));  // a: 1.5
  EXPECT_EQ(best_of(1.6), to_text(Recipe{constant}));
}

TEST_F(LoopTest, OfEqualSpeedTheSmallerChangeIsSelected) {
  Landscape landscape;
  landscape.gain_of_b = 1;
  EXPECT_EQ(run(landscape).best->variant.recipe, to_text(Recipe{step("a")}));
}

TEST(Select, GainsMustStandAboveNoise) {
  EXPECT_TRUE(worth_keeping(1.1, 0.05));
  EXPECT_FALSE(worth_keeping(1.1, 0.15));
  EXPECT_FALSE(worth_keeping(1.01, 0));
}

TEST(Reflection, CountersAndContributions) {
  const auto changes = counter_changes(
      R"({"original": {"a": 100, "b": 10, "n": "x"}, "variant": {"a": 25, "b": 9, "n": 1}})");
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_EQ(changes[0].counter, "a");
  EXPECT_DOUBLE_EQ(changes[0].ratio(), 0.25);
  EXPECT_TRUE(counter_changes("no json").empty());

  Reflection reflection;
  const auto accepted = [](double gain) {
    Assessment assessment;
    assessment.outcome = Outcome::accepted;
    assessment.gain = gain;
    return assessment;
  };
  reflection.add({step("a")}, accepted(1.5));
  reflection.add({step("a"), step("b")}, accepted(3));
  reflection.add({step("c")}, Assessment::without_gain(Outcome::rejected, ""));
  EXPECT_NEAR(reflection.contributions().at("a"), 1.5, 1e-9);
  EXPECT_NEAR(reflection.contributions().at("b"), 2, 1e-9);
  EXPECT_EQ(reflection.summary(), "3 trials: 2 accepted, 1 rejected");
}

}  // namespace
}  // namespace geak::optimizer
