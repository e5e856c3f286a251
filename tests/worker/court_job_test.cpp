// The job as the worker's child reads it.
#include "worker/court_job.h"

#include <gtest/gtest.h>

namespace geak::worker {
namespace {

TEST(CourtJob, ComesBack) {
  CourtJob job;
  job.archive = "a.geakrec";
  job.symbol = "_Z1fv";
  job.original = "o.code";
  job.tolerance = 1e-3;
  job.argument_types = {"float *"};
  job.recorded_inputs_only = true;
  job.verify = CourtJob::Verify::fastest;
  job.seconds = 2.5;
  CourtCandidate candidate{"0123abcd", "f__geak_0123abcd", "c.code", {}, nlohmann::json::array()};
  candidate.launch.axes[0] = {support::BlockRule::set, 64, support::GridRule::cover, 2};
  candidate.recipe.push_back({{"transform", "restrict"}, {"parameters", nlohmann::json::object()}});
  job.candidates = {candidate};
  job.earlier["0123abcd"] = {{"outcome", "timed"}};
  const auto read = court_job_from_json(to_json(job));
  EXPECT_EQ(to_json(read), to_json(job));
  EXPECT_EQ(read.verify, CourtJob::Verify::fastest);
  ASSERT_EQ(read.candidates.size(), 1u);
  EXPECT_EQ(read.candidates[0].launch, candidate.launch);
  EXPECT_EQ(read.candidates[0].recipe, candidate.recipe);
}

TEST(CourtJob, RefusesWhatIsNone) {
  EXPECT_THROW(court_job_from_json(nlohmann::json::object()), nlohmann::json::exception);
}

}  // namespace
}  // namespace geak::worker
