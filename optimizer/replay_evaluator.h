// Judges candidates by replaying the recorded launches: compile as shipped, static gates, trial.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "optimizer/code_object.h"
#include "optimizer/evaluator.h"
#include "optimizer/keyed_kernel.h"
#include "optimizer/workload.h"
#include "replay/trial.h"
#include "support/manifest.h"

namespace geak::optimizer {

class ReplayEvaluator : public Evaluator {
 public:
  // Works in `<build>/geak/work/<key>/`, which it removes at its end.
  ReplayEvaluator(const support::Manifest& manifest, const KeyedKernel& kernel,
                  const Device& device, std::filesystem::path archive);
  ~ReplayEvaluator() override;

  Assessment baseline() override;
  Assessment assess(const Candidate& candidate) override;

 private:
  std::optional<Assessment> check_text(const Candidate& candidate) const;
  std::optional<Assessment> compile(const Candidate& candidate);
  std::optional<Assessment> pass_gates(const Candidate& candidate, KernelResources& found) const;
  Assessment hold_trial(const replay::TrialSpec& spec) const;
  replay::TrialSpec spec() const;

  const support::Manifest& manifest_;
  const KeyedKernel& kernel_;
  Device device_;
  std::filesystem::path archive_, work_;
  // The unit's host pass, parsed once: each candidate is rewritten from it.
  clang_tool::TranslationUnit host_;
};

}  // namespace geak::optimizer
