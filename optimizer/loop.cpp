#include "optimizer/loop.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "optimizer/select.h"
#include "optimizer/time_budget.h"
#include "support/json_text.h"

namespace geak::optimizer {
namespace {

using State = cache::Search::State;

// A candidate so much faster than the best so far is judged at once: others then need not be.
constexpr double kFarAhead = 1.2;
// At the end a difference below this is not worth a judgement.
constexpr double kAhead = 1.005;

std::string times(double gain) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2fx", gain);
  return text;
}

Assessment::Outcome outcome_from(const std::string& text) {
  using Outcome = Assessment::Outcome;
  for (const Outcome outcome : {Outcome::accepted, Outcome::timed, Outcome::rejected,
                                Outcome::does_not_compile, Outcome::refused})
    if (text == name_of(outcome)) return outcome;
  return Outcome::failed;
}

class Loop {
 public:
  Loop(cache::Cache& cache, const std::string& key, const cache::EvidenceType& type,
       const cache::Verification& verification, Generator& generator, Evaluator& evaluator,
       const LoopSettings& settings)
      : cache_(cache),
        key_(key),
        type_(type),
        verification_(verification),
        generator_(generator),
        evaluator_(evaluator),
        settings_(settings),
        budget_(settings.seconds) {}

  LoopResult run() {
    if (!settings_.again)
      if (auto earlier = finished_earlier(cache_, key_, type_)) return std::move(*earlier);
    earlier_ = cache_.search(key_, type_)
                   .value_or(cache::Search{State::running, "", 0, 0, settings_.seed, 0});
    note(State::running, "");
    if (take_baseline()) {
      resume();
      while (step()) {
      }
      if (result_.end != LoopResult::End::interrupted) settle_the_rest();
      if (result_.end != LoopResult::End::interrupted) take_apart();
    }
    finish();
    return std::move(result_);
  }

 private:
  void note(State state, const std::string& outcome) {
    cache_.set_search(key_, type_,
                      {state, outcome, earlier_.trials + result_.new_trials,
                       earlier_.seconds + budget_.elapsed(), settings_.seed, 0});
  }

  // The default variant always comes first: without its time there is nothing to compare with.
  bool take_baseline() {
    result_.baseline = evaluator_.baseline();
    budget_.took_baseline();
    const Assessment& base = result_.baseline;
    if (base.outcome == Assessment::Outcome::interrupted) {
      result_.end = LoopResult::End::interrupted;
      return false;
    }
    if (!base.accepted()) {
      result_.end = LoopResult::End::impossible;
      result_.reason = base.reason;
      return false;
    }
    char text[160];
    std::snprintf(text, sizeof text, "original: %.1f us %s%s%s", base.original_ns / 1000,
                  type_.text().c_str(), base.limiter.empty() ? "" : ", limited by ",
                  base.limiter.c_str());
    settings_.progress(text);
    return true;
  }

  void resume() {
    for (const auto& trial : cache_.trials(key_, type_)) {
      Assessment assessment;
      assessment.outcome = outcome_from(trial.outcome);
      assessment.gain = trial.gain;
      assessment.reason = trial.reason;
      known_[trial.variant_digest] = assessment;
      tried_any_ = true;
      const Recipe recipe = recipe_from_text(trial.recipe);
      result_.reflection.add(recipe, assessment);
      generator_.report(recipe, assessment, /*earlier=*/true);
      best_gain_ = std::max(best_gain_, assessment.accepted() ? assessment.gain : 0);
      if (assessment.accepted() && assessment.gain > 1)
        verified_[trial.variant_digest] = flattened(recipe);
    }
    if (!known_.empty())
      settings_.progress("resumed: " + std::to_string(known_.size()) + " trials of earlier runs");
  }

  // A candidate between its first look and its verdict.
  struct Trying {
    Candidate candidate;
    std::string digest;
    Assessment look;
  };

  std::size_t judgements_due() const {
    const std::size_t wanted = settings_.verified_wanted;
    return std::min(pending_.size(), wanted > verified_.size() ? wanted - verified_.size() : 1);
  }

  bool out_of_time() const { return budget_.left_for_looks(judgements_due()) <= 0; }

  // A few candidates; false when the search is over.
  bool step() {
    if (settings_.stop()) {
      result_.end = LoopResult::End::interrupted;
      return false;
    }
    if (out_of_time()) {
      result_.end = LoopResult::End::out_of_time;
      result_.reason = "out of time";
      return false;
    }
    std::vector<Trying> batch = next_batch();
    if (batch.empty()) {
      result_.reason = generator_.ended_by();
      return false;
    }
    return try_out(batch) && settle(settings_.judge_all ? 0 : kFarAhead);
  }

  // Looks at each; what could win is pending then, the others are done with. False where it was
  // interrupted.
  bool try_out(std::vector<Trying>& batch) {
    if (!look_at(batch)) {
      result_.end = LoopResult::End::interrupted;
      return false;
    }
    for (auto& one : batch) {
      if (one.look.outcome == Assessment::Outcome::timed)
        generator_.report(one.candidate.recipe, one.look, /*earlier=*/false);
      if (could_win(one.look))
        pending_.push_back(std::move(one));
      else
        conclude(one, one.look);
    }
    return true;
  }

  // Batches are whole, so that a seed's walk doesn't depend on the machine's speed; only the one
  // that the time would not do for is cut short.
  std::vector<Trying> next_batch() {
    std::vector<Trying> batch;
    std::set<std::string> here;
    const std::size_t most = budget_.looks_that_fit(judgements_due(), settings_.at_once);
    while (batch.size() < most) {
      auto candidate = generator_.next();
      if (!candidate) break;
      const std::string digest = clang_tool::variant_digest(candidate->variant);
      // Another recipe made the same text.
      if (const auto known = known_.find(digest); known != known_.end())
        generator_.report(candidate->recipe, known->second, /*earlier=*/true);
      else if (here.insert(digest).second)
        batch.push_back({std::move(*candidate), digest, {}});
    }
    return batch;
  }

  // False where it was interrupted.
  bool look_at(std::vector<Trying>& batch) {
    std::vector<Candidate> candidates;
    for (const auto& one : batch) candidates.push_back(one.candidate);
    const double before = budget_.elapsed();
    const auto looks = evaluator_.look(candidates);
    budget_.took_look((budget_.elapsed() - before) / static_cast<double>(batch.size()));
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (looks[i].outcome == Assessment::Outcome::interrupted) return false;
      batch[i].look = looks[i];
      known_[batch[i].digest] = looks[i];
    }
    return true;
  }

  bool could_win(const Assessment& look) const {
    if (look.outcome != Assessment::Outcome::timed) return false;
    if (settings_.judge_all) return true;
    return worth_keeping(look.gain, look.noise) &&
           (settings_.verified_wanted > 1 || look.gain * (1 + look.noise) > best_gain_);
  }

  bool is_worth_a_judgement(const Trying& one, double ahead, std::size_t at_least) const {
    return settings_.judge_all || one.look.gain > best_gain_ * ahead ||
           (verified_.size() < at_least && !builds_on_verified(one.candidate.recipe));
  }

  // Steps on top of what is verified rarely change what another target makes of it.
  bool builds_on_verified(const Recipe& recipe) const {
    const Recipe steps = flattened(recipe);
    return std::ranges::any_of(verified_, [&](const auto& one) {
      return std::ranges::all_of(one.second, [&](const clang_tool::RecipeStep& step) {
        return std::ranges::find(steps, step) != steps.end();
      });
    });
  }

  // Judges what is pending and this many times as fast as the best so far, the fastest first; what
  // is as good and runs at more sizes comes before it; others, too, until at least so many are
  // verified. False where it was interrupted.
  bool settle(double ahead, std::size_t at_least = 0) {
    std::ranges::sort(pending_, {}, [](const Trying& one) {
      const bool narrow = is_for_seen_values(one.candidate.recipe);
      return std::pair(-one.look.gain * (narrow ? kAsGood : 1), one.digest);
    });
    std::vector<Trying> later;
    bool whole = true;
    for (auto& one : pending_) {
      if (!whole || !is_worth_a_judgement(one, ahead, at_least) || budget_.is_late()) {
        later.push_back(std::move(one));
        continue;
      }
      const double before = budget_.elapsed();
      const auto assessment = settings_.stop()
                                  ? Assessment::without_gain(Assessment::Outcome::interrupted, "")
                                  : evaluator_.assess(one.candidate);
      budget_.took_judgement(budget_.elapsed() - before);
      if (assessment.outcome == Assessment::Outcome::interrupted) {
        result_.end = LoopResult::End::interrupted;
        whole = false;
      } else {
        conclude(one, assessment);
      }
    }
    pending_ = std::move(later);
    return whole;
  }

  // At the end: what is left is judged until nothing could win any more.
  void settle_the_rest() {
    const std::size_t at_least = settings_.verified_wanted > 1 ? settings_.verified_wanted : 0;
    if (!settle(kAhead) || !settle(kAhead, at_least)) return;
    for (const auto& one : pending_) {
      // No verdict for want of time: the next run tries it again.
      if (is_worth_a_judgement(one, kAhead, at_least))
        result_.end = LoopResult::End::out_of_time;
      else
        conclude(one, one.look);
    }
    if (result_.end == LoopResult::End::out_of_time) result_.reason = "out of time";
    pending_.clear();
  }

  // What the best is without each of its steps: one of those may be faster, too.
  void take_apart() {
    if (settings_.judge_all) return;
    std::vector<Trying> batch;
    std::set<std::string> here;
    for (auto& part : parts_of_best()) {
      if (!part) continue;
      const std::string digest = clang_tool::variant_digest(part->variant);
      if (!known_.contains(digest) && here.insert(digest).second)
        batch.push_back({std::move(*part), digest, {}});
    }
    if (batch.empty() || budget_.is_over() || !try_out(batch)) return;
    if (out_of_time())
      pending_.clear();  // no verdict: the next run tries them again
    else
      settle_the_rest();
  }

  // Those candidates, by step; nothing where the rest does not apply.
  std::vector<std::optional<Candidate>> parts_of_best() {
    std::vector<std::optional<Candidate>> parts;
    const Recipe steps = steps_of_best();
    for (std::size_t at = 0; at < steps.size() && steps.size() > 1; ++at)
      parts.push_back(generator_.make(without(steps, at)));
    return parts;
  }

  Recipe steps_of_best() const {
    const auto best = select(cache_, key_, type_);
    return best ? flattened(recipe_from_text(best->variant.recipe)) : Recipe{};
  }

  void share_out() {
    const Recipe steps = steps_of_best();
    const auto parts = parts_of_best();
    for (std::size_t at = 0; at < steps.size(); ++at) {
      double rest = steps.size() == 1 ? 1 : 0;
      if (at < parts.size() && parts[at])
        if (const auto known = known_.find(clang_tool::variant_digest(parts[at]->variant));
            known != known_.end() && known->second.has_gain())
          rest = known->second.gain;
      result_.shares.push_back(
          {steps[at], rest > 0 ? std::optional(result_.best->evidence.gain / rest) : std::nullopt});
    }
  }

  // The last word on a candidate.
  void conclude(const Trying& one, const Assessment& assessment) {
    known_[one.digest] = assessment;
    tried_any_ |= assessment.outcome != Assessment::Outcome::does_not_compile &&
                  assessment.outcome != Assessment::Outcome::failed;
    if (first_trouble_.empty() && !assessment.has_gain())
      first_trouble_ = std::string(name_of(assessment.outcome)) + ": " + assessment.reason;
    ++result_.new_trials;
    keep(one.candidate, one.digest, assessment);
    result_.reflection.add(one.candidate.recipe, assessment);
    // A gain that the look saw is known there already.
    if (one.look.outcome != Assessment::Outcome::timed || !assessment.has_gain())
      generator_.report(one.candidate.recipe, assessment,
                        /*earlier=*/one.look.outcome == Assessment::Outcome::timed);
    tell(one.candidate, assessment);
  }

  void keep(const Candidate& candidate, const std::string& digest, const Assessment& assessment) {
    const std::string recipe = to_text(candidate.recipe);
    if (assessment.accepted() && worth_keeping(assessment.gain, assessment.noise)) {
      const auto& variant = candidate.variant;
      const cache::Variant kept = {
          variant.name,      digest,
          variant.text,      support::json_text(nlohmann::json(variant.launch)),
          variant.guard,     recipe,
          generator_.name(), candidate.parent};
      verified_[digest] = flattened(candidate.recipe);
      cache_.add_verified(key_, kept,
                          {type_, verification_, assessment.original_ns, assessment.variant_ns,
                           assessment.gain, assessment.noise, assessment.inputs_tried,
                           assessment.limiter, assessment.counters, assessment.code_hash});
    } else if (assessment.outcome != Assessment::Outcome::does_not_compile &&
               assessment.outcome != Assessment::Outcome::failed) {
      // Those two can be the fault of what surrounds the candidate, and cost little to try again.
      cache_.add_trial(
          key_, type_,
          {digest, recipe, name_of(assessment.outcome), assessment.reason, assessment.gain, 0});
    }
    note(State::running, "");
  }

  void tell(const Candidate& candidate, const Assessment& assessment) {
    std::string line =
        std::to_string(result_.new_trials) + ": " + describe(candidate.recipe) + ": ";
    if (assessment.outcome == Assessment::Outcome::timed) {
      line += times(assessment.gain) + ", not judged";
    } else if (assessment.accepted()) {
      line += times(assessment.gain);
      if (assessment.gain > best_gain_ && worth_keeping(assessment.gain, assessment.noise))
        line += ", the best so far";
      best_gain_ = std::max(best_gain_, assessment.gain);
    } else {
      line += std::string(name_of(assessment.outcome)) + ": " + assessment.reason;
    }
    settings_.progress(line);
  }

  void finish() {
    result_.best = select(cache_, key_, type_);
    if (result_.best && !settings_.judge_all) share_out();
    // Where not one candidate got as far as a verdict, "no gain" would be a lie.
    if (result_.end == LoopResult::End::finished && result_.new_trials > 0 && !tried_any_ &&
        !result_.best) {
      result_.end = LoopResult::End::impossible;
      result_.reason = "no candidate could be tried; the first one: " + first_trouble_;
    }
    switch (result_.end) {
      case LoopResult::End::impossible:
        // Not "finished": what stood in the way may be gone the next time.
        note(State::interrupted, result_.reason);
        break;
      case LoopResult::End::interrupted:
        note(State::interrupted, result_.best ? "improved" : "");
        break;
      case LoopResult::End::out_of_time:
        note(State::out_of_time, result_.best ? "improved"
                                 : tried_any_
                                     ? "no gain"
                                     : "the time given ended before a candidate was tried");
        break;
      case LoopResult::End::finished:
        note(State::finished, result_.best ? "improved" : "no gain");
        break;
    }
  }

  cache::Cache& cache_;
  const std::string& key_;
  const cache::EvidenceType& type_;
  const cache::Verification& verification_;
  Generator& generator_;
  Evaluator& evaluator_;
  const LoopSettings& settings_;
  TimeBudget budget_;
  cache::Search earlier_;
  std::map<std::string, Assessment> known_;  // by variant digest
  std::vector<Trying> pending_;              // looked at, could win, not judged yet
  double best_gain_ = 1;
  std::map<std::string, Recipe> verified_;  // steps by variant digest
  bool tried_any_ = false;                  // a candidate got a verdict, good or bad
  std::string first_trouble_;
  LoopResult result_;
};

}  // namespace

std::optional<LoopResult> finished_earlier(const cache::Cache& cache, const std::string& key_digest,
                                           const cache::EvidenceType& type) {
  const auto search = cache.search(key_digest, type);
  if (!search || search->state != State::finished) return std::nullopt;
  LoopResult result;
  result.from_cache = true;
  result.best = select(cache, key_digest, type);
  result.reason = search->outcome;
  return result;
}

LoopResult improve(cache::Cache& cache, const std::string& key_digest,
                   const cache::EvidenceType& type, const cache::Verification& verification,
                   Generator& generator, Evaluator& evaluator, const LoopSettings& settings) {
  return Loop(cache, key_digest, type, verification, generator, evaluator, settings).run();
}

}  // namespace geak::optimizer
