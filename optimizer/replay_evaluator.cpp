#include "optimizer/replay_evaluator.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <span>

#include <nlohmann/json.hpp>

#include "optimizer/device_compile.h"
#include "optimizer/select.h"
#include "optimizer/shipped_code.h"
#include "replay/archive/frame.h"
#include "replay/checked_trial.h"
#include "replay/first_look.h"
#include "replay/gates/text_gate.h"
#include "support/atomic_file.h"
#include "support/emulator_environment.h"
#include "support/interrupt.h"
#include "support/json_text.h"

namespace geak::optimizer {
namespace {

namespace fs = std::filesystem;
using Outcome = Assessment::Outcome;

// Of a first look on a real device.
constexpr unsigned kLookRounds = 5;

// LDS of a compute unit on gfx90a and gfx942 (CDNA2 and CDNA3 ISA manuals, "LDS"): a workgroup that
// asks for more is launched by some runtimes and computes garbage.
constexpr unsigned kLdsBytes = 64 * 1024;

Outcome outcome_of(const replay::TrialResult& result) {
  if (result.accepted) return Outcome::accepted;
  return result.ran ? Outcome::rejected : Outcome::failed;
}

// The cache and people call the other side "variant"; a trial calls it "candidate".
std::string counters_for_cache(const nlohmann::json& counters) {
  if (!counters.is_object() || !counters.contains("original")) return "{}";
  nlohmann::json renamed = {{"original", counters["original"]}};
  if (counters.contains("candidate")) renamed["variant"] = counters["candidate"];
  return support::json_text(renamed);
}

std::string limiter_of(const nlohmann::json& counters) {
  if (!counters.is_object() || !counters.contains("original")) return "";
  const auto& original = counters["original"];
  const auto found = original.find("bound");
  return found != original.end() && found->is_string() ? found->get<std::string>() : "";
}

Assessment assessment_of(const replay::FirstLook& look) {
  if (support::interrupted()) return Assessment::without_gain(Outcome::interrupted, "");
  if (!look.fits) {
    auto lost =
        Assessment::without_gain(look.ran ? Outcome::rejected : Outcome::failed, look.reason);
    if (!look.attack.empty()) lost.reason += " (" + look.attack + ")";
    return lost;
  }
  auto timed = Assessment::without_gain(Outcome::timed, "");
  timed.original_ns = look.original_ns;
  timed.variant_ns = look.candidate_ns;
  timed.gain = look.gain;
  timed.noise = look.noise;
  return timed;
}

std::optional<Assessment> failure_in(const DeviceCompileResult& compiled) {
  if (compiled.interrupted) return Assessment::without_gain(Outcome::interrupted, "");
  if (compiled.succeeded) return std::nullopt;
  return Assessment::without_gain(Outcome::does_not_compile, compiled.problem);
}

// Folders of searches that were killed.
void remove_abandoned(const fs::path& work) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(work, ignored)) {
    const auto process = entry.path().extension().string();  // ".1234"
    pid_t id = 0;
    const auto* end = process.data() + process.size();
    if (process.empty() || std::from_chars(process.data() + 1, end, id).ptr != end || id <= 0)
      continue;
    if (::kill(id, 0) != 0 && errno == ESRCH) fs::remove_all(entry.path(), ignored);
  }
}

}  // namespace

ReplayEvaluator::ReplayEvaluator(const support::Manifest& manifest, const KeyedKernel& kernel,
                                 const Device& device, fs::path archive)
    : manifest_(manifest),
      kernel_(kernel),
      device_(device),
      archive_(std::move(archive)),
      work_(manifest.build / "geak" / "work" /
            (kernel.key.digest.substr(0, 16) + "." + std::to_string(::getpid()))),
      host_(clang_tool::TranslationUnit::parse(kernel.marked.command, clang_tool::Pass::host)),
      warm_(request()) {
  remove_abandoned(work_.parent_path());
  fs::create_directories(work_);
  // Elsewhere than in the main file, a kernel is in what a warm compile has parsed before.
  if (kernel.marked.kernel.span.file != kernel.marked.command.file) warm_.give_up();
}

ReplayEvaluator::~ReplayEvaluator() {
  std::error_code ignored;
  fs::remove_all(work_, ignored);
}

replay::TrialSpec ReplayEvaluator::spec() const {
  replay::TrialSpec spec;
  spec.archive = archive_;
  spec.kernel = kernel_.marked.instantiation.symbol;
  spec.tolerance.relative = manifest_.tolerance;
  for (const auto& parameter : kernel_.marked.kernel.parameters)
    spec.argument_types.push_back(parameter.type);
  return spec;
}

Assessment ReplayEvaluator::baseline() { return hold_trial(spec()); }

Assessment ReplayEvaluator::assess(const Candidate& candidate) {
  if (auto refused = check_text(candidate)) return *refused;
  if (auto failure = compile({candidate.variant})) return *failure;
  KernelResources found;
  if (auto failure = pass_gates(candidate, found)) return *failure;
  auto trial = spec();
  trial.candidate_code_object = work_ / "candidate.co";
  const auto code = support::read_file(trial.candidate_code_object).value_or("");
  trial.candidate_digest = replay::to_hex(replay::digest_of(std::as_bytes(std::span(code))));
  trial.candidate = found.symbol;
  try {
    trial.launch_change = source_.launch_of(candidate.variant);
  } catch (const std::runtime_error& error) {
    return Assessment::without_gain(Outcome::refused, error.what());
  }
  auto assessment = hold_trial(trial);
  assessment.code_hash = code_hash(code, found.symbol);
  return assessment;
}

// What a candidate may say: measured against the kernel's own text.
std::optional<Assessment> ReplayEvaluator::check_text(const Candidate& candidate) const {
  const auto& span = kernel_.marked.kernel.span;
  const auto file = support::read_file(span.file).value_or("");
  const auto original = span.end_offset <= file.size()
                            ? file.substr(span.begin_offset, span.end_offset - span.begin_offset)
                            : std::string();
  auto refusal = replay::check_text(candidate.variant.text, original);
  if (!refusal) refusal = replay::check_guard(candidate.variant.guard);
  if (!refusal) return std::nullopt;
  return Assessment::without_gain(Outcome::refused, refusal->reason + " (" + refusal->attack + ")");
}

std::vector<Assessment> ReplayEvaluator::look(const std::vector<Candidate>& candidates) {
  std::vector<Assessment> looks(candidates.size());
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (auto refused = check_text(candidates[i]))
      looks[i] = *refused;
    else
      open.push_back(i);
  }
  look_together(candidates, open, looks);
  return looks;
}

// One that does not compile, or cannot be swapped in, must not cost the others their look.
void ReplayEvaluator::look_together(const std::vector<Candidate>& candidates,
                                    const std::vector<std::size_t>& which,
                                    std::vector<Assessment>& looks) {
  if (which.empty()) return;
  std::vector<clang_tool::Variant> variants;
  for (const auto i : which) variants.push_back(candidates[i].variant);
  if (const auto failure = compile_for_look(variants)) {
    const auto middle = which.begin() + static_cast<std::ptrdiff_t>(which.size() / 2);
    if (which.size() == 1 || failure->outcome == Outcome::interrupted) {
      for (const auto i : which) looks[i] = *failure;
      return;
    }
    look_together(candidates, {which.begin(), middle}, looks);
    look_together(candidates, {middle, which.end()}, looks);
    return;
  }
  replay::FirstLookSpec first{spec(), {}};
  first.trial.rounds = kLookRounds;
  std::vector<std::size_t> looked;
  for (const auto i : which) {
    KernelResources found;
    if (const auto outcome = pass_gates(candidates[i], found)) {
      looks[i] = *outcome;
      continue;
    }
    try {
      first.candidates.push_back(
          {work_ / "candidate.co", found.symbol, source_.launch_of(candidates[i].variant)});
    } catch (const std::runtime_error& error) {
      looks[i] = Assessment::without_gain(Outcome::refused, error.what());
      continue;
    }
    looked.push_back(i);
  }
  const auto found = replay::look_at(first, {}, environment());
  for (std::size_t at = 0; at < looked.size(); ++at) looks[looked[at]] = assessment_of(found[at]);
}

DeviceCompile ReplayEvaluator::request() const {
  DeviceCompile request;
  request.command = kernel_.marked.command;
  request.target_id = kernel_.marked.target_id;
  request.overlay = work_ / "overlay.yaml";
  request.output = work_ / "candidate.co";
  return request;
}

std::optional<Assessment> ReplayEvaluator::write_overlay(
    const std::vector<clang_tool::Variant>& variants) {
  std::error_code ignored;
  fs::remove(work_ / "candidate.co", ignored);
  try {
    source_ = write_candidate_overlay(host_, kernel_.marked, variants, work_, &host_preamble_);
  } catch (const std::runtime_error& error) {
    return Assessment::without_gain(Outcome::refused, error.what());
  }
  return std::nullopt;
}

std::optional<Assessment> ReplayEvaluator::compile(
    const std::vector<clang_tool::Variant>& variants) {
  if (auto refused = write_overlay(variants)) return refused;
  return failure_in(compile_device(request()));
}

std::optional<Assessment> ReplayEvaluator::compile_for_look(
    const std::vector<clang_tool::Variant>& variants) {
  if (auto refused = write_overlay(variants)) return refused;
  if (const auto compiled = warm_.compile()) return failure_in(*compiled);
  const auto compiled = compile_device(request());
  if (compiled.succeeded) warm_.give_up();  // it cannot do what the build can
  return failure_in(compiled);
}

std::optional<Assessment> ReplayEvaluator::pass_gates(const Candidate& candidate,
                                                      KernelResources& found) const {
  const auto kernels = read_kernels(work_ / "candidate.co");
  const std::string& symbol = kernel_.marked.instantiation.symbol;
  const auto variant = find_kernel(kernels, candidate.variant.name, symbol);
  if (!variant)
    return Assessment::without_gain(Outcome::refused,
                                    "the code object has no kernel " + candidate.variant.name);
  found = *variant;
  if (found.static_lds > kLdsBytes)
    return Assessment::without_gain(
        Outcome::refused, "it needs " + std::to_string(found.static_lds) +
                              " bytes of LDS, a workgroup has " + std::to_string(kLdsBytes));
  for (const auto& original : kernels)
    if (original.symbol == symbol && original.code == found.code && !found.code.empty() &&
        candidate.variant.launch.keeps_launch()) {
      auto same = Assessment::without_gain(Outcome::accepted, "the original's machine code");
      same.gain = 1;
      return same;
    }
  return std::nullopt;
}

replay::Environment ReplayEvaluator::environment() const {
  if (!device_.emulated) return {};
  support::EmulatorSettings settings;
  settings.arch = device_.architecture;
  return support::emulator_environment(support::InstallPaths::of_this_program(), settings);
}

Assessment ReplayEvaluator::hold_trial(const replay::TrialSpec& spec) const {
  const auto environment = this->environment();
  auto result = replay::run_trial(spec, {}, environment);
  // The checks cost a further trial: for what a build would get.
  if (device_.emulated && worth_keeping(result.gain, result.noise)) {
    result = replay::check_on_emulator(spec, {}, environment, std::move(result));
  }
  if (support::interrupted()) return Assessment::without_gain(Outcome::interrupted, "");
  auto assessment = Assessment::without_gain(outcome_of(result), result.reason);
  if (!result.attack.empty()) assessment.reason += " (" + result.attack + ")";
  if (!assessment.accepted()) return assessment;
  assessment.reason.clear();
  assessment.original_ns = result.original_ns;
  assessment.variant_ns = result.candidate_ns;
  assessment.gain = result.gain;
  assessment.noise = result.noise;
  assessment.inputs_tried = static_cast<int>(result.inputs_tried);
  assessment.counters = counters_for_cache(result.counters);
  assessment.limiter = limiter_of(result.counters);
  return assessment;
}

}  // namespace geak::optimizer
