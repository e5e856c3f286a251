#include <gtest/gtest.h>

#include "replay/first_look.h"
#include "replay/trial.h"

namespace geak::replay {
namespace {

TEST(TrialJson, SpecificationsComeBack) {
  TrialSpec spec;
  spec.archive = "a.geakrec";
  spec.kernel = "k";
  spec.candidate_code_object = "c.co";
  spec.candidate = "v";
  spec.tolerance.relative = 1e-3;
  spec.launch_change.axes[0] = {support::BlockRule::set, 64, support::GridRule::cover, 2};
  spec.seeds = {4, 5};
  spec.min_gain = 1.1;
  const auto read = trial_spec_from_json(to_json(spec));
  EXPECT_EQ(to_json(read), to_json(spec));
  EXPECT_EQ(read.launch_change, spec.launch_change);
}

TEST(TrialJson, RefusesUnknownAndMissingFields) {
  EXPECT_THROW(trial_spec_from_json({{"archive", "a"}}), std::runtime_error);
  EXPECT_THROW(trial_spec_from_json({{"archive", "a"}, {"kernel", "k"}, {"sedes", {1}}}),
               std::runtime_error);
  EXPECT_THROW(trial_spec_from_json(
                   {{"archive", "a"}, {"kernel", "k"}, {"candidate", {{"code_object", "c"}}}}),
               std::runtime_error);
  EXPECT_THROW(
      trial_spec_from_json({{"archive", "a"}, {"kernel", "k"}, {"launch_change", {{"axes", "x"}}}}),
      std::runtime_error);
}

TEST(TrialJson, ResultsComeBack) {
  TrialResult result;
  result.accepted = true;
  result.gain = 2.5;
  result.attack = "x";
  result.notes = {"n"};
  EXPECT_EQ(to_json(trial_result_from_json(to_json(result))), to_json(result));
}

TEST(TrialJson, FirstLooksComeBack) {
  FirstLookSpec spec;
  spec.trial.archive = "a.geakrec";
  spec.trial.kernel = "k";
  LookCandidate candidate{"c.co", "v", {}};
  candidate.launch_change.axes[0] = {support::BlockRule::set, 64, support::GridRule::cover, 2};
  spec.candidates = {candidate, {"c.co", "w", {}}};
  spec.sample = 512;
  const auto read = first_look_spec_from_json(to_json(spec));
  EXPECT_EQ(read.sample, 512u);
  EXPECT_EQ(to_json(read), to_json(spec));
  ASSERT_EQ(read.candidates.size(), 2u);
  EXPECT_EQ(read.candidates[0].launch_change, candidate.launch_change);
  const FirstLook look{true, true, "", "", 300, 200, 1.5, 0.01};
  EXPECT_EQ(to_json(first_look_from_json(to_json(look))), to_json(look));
  EXPECT_FALSE(first_look_from_json(nlohmann::json::object()).fits);
}

}  // namespace
}  // namespace geak::replay
