#include "worker/court_process.h"

#include <chrono>
#include <fstream>

#include "support/child_process.h"
#include "support/interrupt.h"
#include "support/json_text.h"
#include "worker/bundle_json.h"
#include "worker/compile.h"

namespace geak::worker {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int kMostProcesses = 12;
// For establishing the original, and for a verification that has begun: it makes, runs and compares
// everything recorded many times over.
std::chrono::milliseconds grace_for(const fs::path& archive) {
  constexpr std::uintmax_t bytes_a_millisecond = 10'000;
  return std::chrono::milliseconds(60'000 + fs::file_size(archive) / bytes_a_millisecond);
}

}  // namespace

void CourtProcess::hold(CourtJob job, double seconds) {
  const auto start = std::chrono::steady_clock::now();
  for (int times = 0; times < kMostProcesses && !support::interrupted(); ++times) {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    job.seconds = seconds - spent.count();
    if (times > 0 && job.seconds <= 0) break;
    if (hold_once(job).empty()) return;
  }
  if (entry_["state"] == "begun" && !support::interrupted()) entry_["state"] = "tried";
}

// Empty where the court ended well, or nothing more can be done; else what ended it.
std::string CourtProcess::hold_once(CourtJob& job) {
  const auto steps = work_ / "court.jsonl", spec = work_ / "court.json";
  std::ofstream(spec) << support::json_text(to_json(job));
  fs::remove(steps);
  support::ChildOptions child;
  child.command = {fs::read_symlink("/proc/self/exe").string(), "--court", spec.string(),
                   steps.string()};
  child.timeout =
      std::chrono::milliseconds(static_cast<long>(job.seconds * 1000)) + grace_for(job.archive);
  const auto ended = support::run_child(child);
  std::string doing, working_on;
  std::ifstream stream(steps);
  for (std::string line; std::getline(stream, line);) {
    const auto step = json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!step.is_object()) continue;
    if (step.contains("original")) entry_["original"] = step["original"];
    if (step.contains("begins")) {
      working_on = step["begins"];
      doing = step["doing"];
    }
    if (step.contains("result")) {
      take(step["result"]);
      job.earlier[step["result"]["digest"].get<std::string>()] = step["result"];
      if (step["result"]["digest"] == working_on) working_on.clear();
    }
  }
  if (ended.succeeded()) {
    entry_["state"] = "tried";
    return "";
  }
  if (ended.interrupted) return "interrupted";
  const std::string why = ended.timed_out ? "it took too long" : first_error(ended.err);
  if (working_on.empty()) {
    // The original, or nothing that a candidate did.
    entry_["state"] = "failed";
    entry_["reason"] = why;
    return "";
  }
  // The last phase that the court announced: was it the original that faulted?
  const auto phase = ended.err.rfind("phase: ");
  if (!job.recorded_inputs_only && doing == "verifying" && phase != std::string::npos &&
      ended.err.compare(phase + 7, 8, "original") == 0 && !ended.timed_out) {
    job.recorded_inputs_only = true;
    return why;
  }
  const json lost = {
      {"digest", working_on}, {"outcome", "rejected"}, {"reason", doing + ": " + why}};
  take(lost);
  job.earlier[working_on] = lost;
  return why;
}

// Accepted ones carry what an import needs.
void CourtProcess::take(const json& step) {
  auto& kept = Result::candidate(entry_, step["digest"]);
  kept.update(step);
  if (step.value("outcome", "") != "accepted") return;
  for (const auto& candidate : kernel_.candidates)
    if (step["digest"] == candidate.digest) {
      kept["variant"] = to_json(candidate);
      kept["variant"].erase("files");
    }
}

}  // namespace geak::worker
