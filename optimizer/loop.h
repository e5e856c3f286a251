// Generate, evaluate, reflect, select: one kernel's search, kept in the cache as it goes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cache/cache.h"
#include "optimizer/evaluator.h"
#include "optimizer/generator.h"
#include "optimizer/reflect.h"

namespace geak::optimizer {

struct LoopSettings {
  std::uint64_t seed = 1;
  double seconds = 60;     // for this kernel, in this run
  bool again = false;      // search on although an earlier run finished
  unsigned at_once = 12;   // candidates that are looked at together
  bool judge_all = false;  // also those that cannot win here
  // So many are verified, the fastest, where the time allows it: the best for one target may lose
  // on another, where only what is verified here is tried.
  std::size_t verified_wanted = 1;
  std::function<bool()> stop = [] { return false; };  // Ctrl-C
  std::function<void(const std::string& line)> progress = [](const std::string&) {};
};

// A step of the best variant, and how many times slower it is without that step. No ratio: the
// other steps do not apply without it, or what they make is wrong, or the time was over.
struct StepShare {
  clang_tool::RecipeStep step;
  std::optional<double> ratio;
};

struct LoopResult {
  enum class End { finished, out_of_time, interrupted, impossible };
  End end = End::finished;
  std::string reason;  // impossible: why; else why the generator ended
  std::optional<cache::VerifiedVariant> best;
  Assessment baseline;            // not filled where an earlier run's result was taken
  std::vector<StepShare> shares;  // of `best`, in order; empty where nothing was tried
  Reflection reflection;
  int new_trials = 0;
  bool from_cache = false;  // an earlier run had finished: nothing was tried
};

// What an earlier run ended with; nothing where the search has not ended.
std::optional<LoopResult> finished_earlier(const cache::Cache& cache, const std::string& key_digest,
                                           const cache::EvidenceType& type);

// Candidates are looked at a few at a time, which is cheap. Judged is only what could win: at once
// where it is far ahead of the best so far, else at the end, the fastest first. Then the best
// is looked at without each of its steps, so that what each brings is known. Nothing else is ever
// verified, and nothing unjudged is selected. What was judged is in the cache before anything
// else starts; of the rest an interrupt loses what has no verdict yet. What the cache says was
// tried is not tried again. The key must have been remembered. Throws CacheError when the cache
// can't be written.
LoopResult improve(cache::Cache& cache, const std::string& key_digest,
                   const cache::EvidenceType& type, const cache::Verification& verification,
                   Generator& generator, Evaluator& evaluator, const LoopSettings& settings);

}  // namespace geak::optimizer
