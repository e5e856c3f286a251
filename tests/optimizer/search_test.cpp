#include "optimizer/search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace geak::optimizer {
namespace {

using clang_tool::RecipeStep;

RecipeStep step(const std::string& name, int value = 0) {
  return {name, value ? nlohmann::json{{"value", value}} : nlohmann::json::object()};
}

bool has(const Recipe& recipe, const RecipeStep& wanted) {
  return std::find(recipe.begin(), recipe.end(), wanted) != recipe.end();
}

Report::Kind kind_of(double gain) { return gain > 0 ? Report::Kind::right : Report::Kind::failed; }

using Landscape = std::function<double(const Recipe&)>;  // gain; 0: the trial fails

std::vector<std::string> walk(Search& search, const Landscape& landscape, int limit = 10'000) {
  std::vector<std::string> asked;
  while (limit-- > 0) {
    const auto recipe = search.next();
    if (!recipe) break;
    asked.push_back(to_text(*recipe));
    const double gain = landscape(*recipe);
    search.report({*recipe, kind_of(gain), gain});
  }
  return asked;
}

const std::vector<RecipeStep> kSteps = {step("restrict"),  step("unroll", 2), step("unroll", 4),
                                        step("unroll", 8), step("block", 64), step("block", 512),
                                        step("lds"),       step("coarsen", 2)};
const AxisOf kAxes = {{"lds", Axis::memory},
                      {"restrict", Axis::memory},
                      {"block", Axis::parallelism},
                      {"coarsen", Axis::parallelism}};

double separable(const Recipe& recipe) {
  double gain = 1;
  if (has(recipe, step("unroll", 4))) gain *= 1.3;
  if (has(recipe, step("unroll", 8))) gain *= 1.1;
  if (has(recipe, step("lds"))) gain *= 1.8;
  if (has(recipe, step("block", 64))) gain *= 0.7;
  if (has(recipe, step("coarsen", 2))) gain *= 1.05;
  return gain;
}

TEST(Search, TriesEachStepAloneFirstAndInOrder) {
  Search search(kSteps, kAxes, {});
  for (const auto& expected : kSteps) {
    const auto recipe = search.next();
    ASSERT_TRUE(recipe);
    EXPECT_EQ(*recipe, Recipe{expected});
    search.report({*recipe, kind_of(1), 1.0});
  }
}

TEST(Search, ComposesWhatGainedInFewTrials) {
  Search search(kSteps, kAxes, {});
  walk(search, separable, static_cast<int>(kSteps.size()) + 4);
  EXPECT_NEAR(search.best_gain(), 1.3 * 1.8 * 1.05, 1e-9) << describe(search.best());
}

TEST(Search, NeverAsksTwice) {
  Search search(kSteps, kAxes, {});
  auto asked = walk(search, separable);
  std::sort(asked.begin(), asked.end());
  EXPECT_EQ(std::unique(asked.begin(), asked.end()), asked.end());
}

TEST(Search, NoGainEndsByItself) {
  SearchSettings settings;
  settings.trials = 100'000;
  Search search(kSteps, kAxes, settings);
  const auto asked = walk(search, [](const Recipe& recipe) { return 1 - 0.2 * recipe.size(); });
  EXPECT_DOUBLE_EQ(search.best_gain(), 1);
  EXPECT_TRUE(search.best().empty());
  EXPECT_LE(asked.size(), kSteps.size() + 1);
  EXPECT_EQ(search.ended_by(), "exhausted");
}

TEST(Search, PatienceEndsAFlatWalk) {
  SearchSettings settings;
  settings.trials = 100'000;
  settings.patience = 20;
  Search search(kSteps, kAxes, settings);
  const auto asked = walk(search, [](const Recipe&) { return 1.0; });
  EXPECT_LE(asked.size(), 20u);
  EXPECT_EQ(search.ended_by(), "no progress");
}

TEST(Search, BudgetOfTrialsHolds) {
  SearchSettings settings;
  settings.trials = 5;
  Search search(kSteps, kAxes, settings);
  EXPECT_EQ(walk(search, separable).size(), 5u);
  EXPECT_EQ(search.ended_by(), "budget");
}

TEST(Search, FailuresAreNotBuiltUpon) {
  Search search(kSteps, kAxes, {});
  const auto asked = walk(search, [](const Recipe& recipe) {
    return has(recipe, step("lds")) ? 0.0 : separable(recipe);
  });
  EXPECT_FALSE(has(search.best(), step("lds")));
  EXPECT_EQ(std::count_if(asked.begin(), asked.end(),
                          [](const auto& text) { return text.find("lds") != std::string::npos; }),
            1);
}

TEST(Search, FindsAPairWhoseHalvesGainNothing) {
  SearchSettings settings;
  settings.patience = 60;
  Search search(kSteps, kAxes, settings);
  walk(search, [](const Recipe& recipe) {
    return has(recipe, step("lds")) && has(recipe, step("block", 512)) ? 2.0 : 1.0;
  });
  EXPECT_DOUBLE_EQ(search.best_gain(), 2.0);
}

// The compiler had done what most of the steps do: their compositions come last.
TEST(Search, StepsThatChangeNothingDoNotHoldUpAPairWhoseHalvesLose) {
  std::vector<RecipeStep> steps;
  for (int i = 1; i <= 12; ++i) steps.push_back(step("idle" + std::to_string(i)));
  steps.push_back(step("wide"));
  steps.push_back(step("staged"));
  Search search(steps, {}, {});
  walk(search, [](const Recipe& recipe) {
    const bool wide = has(recipe, step("wide")), staged = has(recipe, step("staged"));
    return wide && staged ? 1.5 : wide || staged ? 0.97 : 1.0;
  });
  EXPECT_DOUBLE_EQ(search.best_gain(), 1.5);
}

TEST(Search, ASeedRepeatsAndAnotherWalksElsewhere) {
  const Landscape flat = [](const Recipe&) { return 1.0; };
  const auto walked = [&](std::uint64_t seed) {
    SearchSettings settings;
    settings.seed = seed;
    settings.patience = 50;
    Search search(kSteps, kAxes, settings);
    return walk(search, flat);
  };
  EXPECT_EQ(walked(7), walked(7));
  EXPECT_NE(walked(7), walked(8));
}

TEST(Search, ResumeAsksOnlyForWhatIsNew) {
  Search first(kSteps, kAxes, {});
  std::vector<Report> kept;
  for (int n = 0; n < 6; ++n) {
    const auto recipe = first.next();
    kept.push_back({*recipe, kind_of(separable(*recipe)), separable(*recipe)});
    first.report(kept.back());
  }
  Search second(kSteps, kAxes, {});
  for (const auto& report : kept) second.report(report, /*spend=*/false);
  EXPECT_EQ(second.trials(), 0);
  for (const auto& text : walk(second, separable))
    for (const auto& report : kept) EXPECT_NE(text, to_text(report.recipe));
  EXPECT_NEAR(second.best_gain(), 1.3 * 1.8 * 1.05, 1e-9);
}

TEST(Search, StepsOfferedLaterAreComposedButNotTriedAlone) {
  Search search(kSteps, kAxes, {});
  search.offer({step("pad")});
  bool seen = false;
  for (const auto& text : walk(search, [](const Recipe& recipe) {
         return separable(recipe) * (has(recipe, step("pad")) ? 1.5 : 1);
       })) {
    EXPECT_NE(text, to_text(Recipe{step("pad")}));
    seen |= text.find("pad") != std::string::npos;
  }
  EXPECT_TRUE(seen);
  EXPECT_TRUE(has(search.best(), step("pad")));
}

TEST(Search, WhatDoesNotApplyTeachesNothing) {
  Search search(kSteps, kAxes, {});
  const auto recipe = search.next();
  search.report({*recipe, Report::Kind::not_applicable, 0}, false);
  EXPECT_TRUE(search.step_gains().empty());
  EXPECT_EQ(search.trials(), 0);
}

TEST(Search, StepGainsSayWhatEachContributed) {
  Search search(kSteps, kAxes, {});
  walk(search, separable, 12);
  const auto gains = search.step_gains();
  EXPECT_NEAR(gains.at(to_text(step("lds"))), 1.8, 1e-9);
  EXPECT_NEAR(gains.at(to_text(step("block", 64))), 0.7, 1e-9);
}

TEST(Search, ExpectsWhatWasReportedElseWhatTheStepsGainedElsewhere) {
  Search search(kSteps, kAxes, {});
  search.report({{step("lds")}, Report::Kind::right, 2});
  search.report({{step("unroll", 4)}, Report::Kind::right, 1.5});
  EXPECT_DOUBLE_EQ(search.expected({step("lds")}), 2);
  const double both = search.expected({step("lds"), step("unroll", 4)});
  EXPECT_GT(both, 2.5);
  EXPECT_LT(both, 3.0);
  EXPECT_DOUBLE_EQ(search.expected({step("restrict")}), 1);
}

TEST(Search, WhatTurnsOutWrongIsForgotten) {
  Search search(kSteps, kAxes, {});
  search.report({{step("restrict")}, Report::Kind::right, 1.2});
  search.report({{step("lds")}, Report::Kind::right, 2});
  ASSERT_DOUBLE_EQ(search.best_gain(), 2);
  search.report({{step("lds")}, Report::Kind::failed, 0}, /*spend=*/false);
  EXPECT_DOUBLE_EQ(search.best_gain(), 1.2);
  EXPECT_EQ(search.best(), Recipe{step("restrict")});
}

TEST(Recipe, TextRoundTripAndDescription) {
  const Recipe recipe = {step("unroll", 4), step("restrict")};
  EXPECT_EQ(recipe_from_text(to_text(recipe)), recipe);
  EXPECT_EQ(describe(recipe), "unroll(value=4) + restrict");
  EXPECT_EQ(describe({}), "original");
  const Recipe nested{{"sequence", {{"steps", recipe}}}, {"unroll", {{"factor", 0}}}};
  EXPECT_EQ(describe(nested), "unroll(value=4) + restrict + unroll(factor=0)");
  EXPECT_THROW(recipe_from_text("{}x"), nlohmann::json::exception);
}

}  // namespace
}  // namespace geak::optimizer
