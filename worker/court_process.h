// Courts in processes of their own, until all candidates of a case have a verdict.
#pragma once

#include <filesystem>
#include <string>

#include "worker/court_job.h"
#include "worker/result.h"

namespace geak::worker {

class CourtProcess {
 public:
  // `work`: where its files go. `kernel` and `entry` (of a result, docs/schemas.md) must outlive
  // it.
  CourtProcess(std::filesystem::path work, const Kernel& kernel, nlohmann::json& entry)
      : work_(std::move(work)), kernel_(kernel), entry_(entry) {}

  // Until all have a verdict, `seconds` are up, or too many of them die. Fills the entry.
  void hold(CourtJob job, double seconds);

 private:
  std::string hold_once(CourtJob& job);
  void take(const nlohmann::json& step);

  std::filesystem::path work_;
  const Kernel& kernel_;
  nlohmann::json& entry_;
};

}  // namespace geak::worker
