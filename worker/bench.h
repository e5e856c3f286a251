// The recorded launches that a court tries candidates on: for each the judge and the timing.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "replay/archive/reader.h"
#include "replay/gates/static_gates.h"
#include "replay/judge/gain.h"
#include "worker/court_job.h"
#include "worker/resident.h"

namespace geak::worker {

struct Bench {
  const replay::LaunchRecord* record = nullptr;
  std::unique_ptr<replay::Baseline> baseline;
  std::unique_ptr<Resident> resident;
  double weight = 1;
  double original_ns = 0;  // median
};

// How a candidate runs on a record beside the original.
struct Pairing {
  replay::PlannedLaunch planned;
  Contender original, candidate;
  double launches = 1;  // of the original that one of the candidate's stands for
};

class Benches {
 public:
  // Replays the original on each chosen record. `spec` must outlive it. Throws where none can be
  // replayed.
  Benches(replay::Device& device, const replay::ArchiveReader& archive, replay::Side& original,
          const replay::TrialSpec& spec, const CourtJob& job, const std::string& symbol);

  std::vector<Bench>& all() { return benches_; }
  // What the result says of the original.
  nlohmann::json description() const;

  // None where the candidate's conditions do not hold there.
  std::optional<Pairing> pair(const Bench& bench, replay::Side& side,
                              const replay::LaunchPlan& plan, std::string& why);

  // A candidate's times on all records. `refusal`: its launch is not possible on one; `tried`: 0
  // where its conditions hold on none (`why` not).
  struct Times {
    replay::Gain gain;
    unsigned tried = 0;
    std::string why;
    std::optional<replay::Refusal> refusal;
  };
  // `effort`: on each record.
  Times race(replay::Side& side, const replay::LaunchPlan& plan, const RaceEffort& effort);

 private:
  void open(const replay::LaunchRecord& record, double launches);

  replay::Device& device_;
  const replay::ArchiveReader& archive_;
  replay::Side& original_;
  const replay::TrialSpec& spec_;
  std::string refused_;
  std::vector<std::string> notes_;
  std::vector<Bench> benches_;
};

}  // namespace geak::worker
