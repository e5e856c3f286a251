// Judges candidates by replaying the recorded launches: compile as shipped, static gates, trial.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "optimizer/candidate_source.h"
#include "optimizer/code_object.h"
#include "optimizer/evaluator.h"
#include "optimizer/keyed_kernel.h"
#include "optimizer/warm_compile.h"
#include "optimizer/workload.h"
#include "replay/checked_trial.h"
#include "replay/trial.h"
#include "support/manifest.h"

namespace geak::optimizer {

class ReplayEvaluator : public Evaluator {
 public:
  // Works in `<build>/geak/work/<key>.<process>/`, which it removes at its end: another process
  // that searches for the same kernel must not put its candidate in this one's place.
  ReplayEvaluator(const support::Manifest& manifest, const KeyedKernel& kernel,
                  const Device& device, std::filesystem::path archive);
  ~ReplayEvaluator() override;

  Assessment baseline() override;
  // Compiled as one unit where it compiles: most of a compiler's time goes into the headers.
  std::vector<Assessment> look(const std::vector<Candidate>& candidates) override;
  Assessment assess(const Candidate& candidate) override;

 private:
  std::optional<Assessment> check_text(const Candidate& candidate) const;
  // As the build compiles it.
  std::optional<Assessment> compile(const std::vector<clang_tool::Variant>& variants);
  // The same code, sooner.
  std::optional<Assessment> compile_for_look(const std::vector<clang_tool::Variant>& variants);
  DeviceCompile request() const;
  std::optional<Assessment> write_overlay(const std::vector<clang_tool::Variant>& variants);
  std::optional<Assessment> pass_gates(const Candidate& candidate, KernelResources& found) const;
  void look_together(const std::vector<Candidate>& candidates,
                     const std::vector<std::size_t>& which, std::vector<Assessment>& looks);
  replay::Environment environment() const;
  Assessment hold_trial(const replay::TrialSpec& spec) const;
  replay::TrialSpec spec() const;

  const support::Manifest& manifest_;
  const KeyedKernel& kernel_;
  Device device_;
  std::filesystem::path archive_, work_;
  // The unit's host pass, parsed once: each candidate is rewritten from it.
  clang_tool::TranslationUnit host_;
  clang_tool::Preamble host_preamble_;  // of what it is rewritten to
  CandidateSource source_;              // of what was compiled last
  WarmCompile warm_;
};

}  // namespace geak::optimizer
