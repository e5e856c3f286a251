// What the evaluation of one candidate found.
#pragma once

#include <string>
#include <utility>

namespace geak::optimizer {

struct Assessment {
  enum class Outcome {
    accepted,          // verified; `gain` says whether it is faster
    timed,             // right and timed on the recorded inputs alone: not fast enough to be judged
    rejected,          // a trial found a difference or a trick
    does_not_compile,  // the user's compiler refused it
    refused,           // a static gate: too much LDS, a launch that it may not have
    failed,            // the trial itself could not be run or took too long
    interrupted,       // Ctrl-C: says nothing about the candidate
  };
  Outcome outcome = Outcome::failed;
  std::string reason;      // one line, empty for accepted ones
  double original_ns = 0;  // sums over the recorded launches, each distinct one times its count
  double variant_ns = 0;
  double gain = 0;  // original_ns / variant_ns; 0 unless accepted or timed
  double noise = 0;
  int inputs_tried = 0;
  std::string limiter;    // the counter that bounds the original
  std::string counters;   // JSON {"original": {...}, "variant": {...}}
  std::string code_hash;  // of the variant's machine code

  static Assessment without_gain(Outcome outcome, std::string reason) {
    Assessment assessment;
    assessment.outcome = outcome;
    assessment.reason = std::move(reason);
    return assessment;
  }
  bool accepted() const { return outcome == Outcome::accepted; }
  bool has_gain() const { return accepted() || outcome == Outcome::timed; }
};

// "accepted", "timed", "rejected", "does not compile", "refused", "failed", "interrupted"
const char* name_of(Assessment::Outcome outcome);

}  // namespace geak::optimizer
