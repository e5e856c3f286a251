#include "worker/court_job.h"

namespace geak::worker {

using nlohmann::json;

json to_json(const CourtJob& job) {
  json candidates = json::array();
  for (const auto& candidate : job.candidates)
    candidates.push_back({{"digest", candidate.digest},
                          {"name", candidate.name},
                          {"code", candidate.code.string()},
                          {"launch", candidate.launch},
                          {"recipe", candidate.recipe}});
  return {{"archive", job.archive.string()},
          {"symbol", job.symbol},
          {"original", job.original.string()},
          {"tolerance", job.tolerance ? json(*job.tolerance) : json()},
          {"argument_types", job.argument_types},
          {"seeds", job.seeds},
          {"max_records", job.max_records},
          {"recorded_inputs_only", job.recorded_inputs_only},
          {"verify", static_cast<int>(job.verify)},
          {"seconds", job.seconds},
          {"candidates", std::move(candidates)},
          {"earlier", job.earlier}};
}

CourtJob court_job_from_json(const json& object) {
  CourtJob job;
  job.archive = object.at("archive").get<std::string>();
  object.at("symbol").get_to(job.symbol);
  job.original = object.at("original").get<std::string>();
  if (!object.at("tolerance").is_null()) job.tolerance = object.at("tolerance").get<double>();
  object.at("argument_types").get_to(job.argument_types);
  object.at("seeds").get_to(job.seeds);
  object.at("max_records").get_to(job.max_records);
  object.at("recorded_inputs_only").get_to(job.recorded_inputs_only);
  job.verify = static_cast<CourtJob::Verify>(object.at("verify").get<int>());
  object.at("seconds").get_to(job.seconds);
  job.earlier = object.at("earlier");
  for (const auto& entry : object.at("candidates"))
    job.candidates.push_back({entry.at("digest"), entry.at("name"),
                              entry.at("code").get<std::string>(),
                              entry.at("launch").get<support::LaunchChange>(), entry.at("recipe")});
  return job;
}

}  // namespace geak::worker
