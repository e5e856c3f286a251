#include <gtest/gtest.h>

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

}  // namespace
}  // namespace geak::replay
