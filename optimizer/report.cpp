#include "optimizer/report.h"

#include <algorithm>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "support/verifier_version.h"

namespace geak::optimizer {
namespace {

namespace fs = std::filesystem;

// A search that was killed stays "running" in the cache; its last note tells.
constexpr std::int64_t kRunningSeconds = 600;

std::string read_text(const fs::path& file) {
  std::ifstream stream(file);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

// Whether the selection file of the kernel's source names a generated file with this variant.
bool is_swapped(const support::Manifest& manifest, const std::string& variant_name) {
  for (const auto& source : manifest.sources) {
    std::istringstream lines(read_text(source.selection));
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with("file=") &&
          read_text(line.substr(5)).find(variant_name) != std::string::npos)
        return true;
  }
  return false;
}

bool still_running(const cache::Search& search) {
  return search.state == cache::Search::State::running &&
         std::time(nullptr) - search.updated < kRunningSeconds;
}

// A search that left no variant behind: what it ended as.
void set_state_without_gain(KernelReport& report) {
  using State = cache::Search::State;
  const cache::Search& search = *report.search;
  const std::string tried = report.tried.text();
  // "improved": on one target, and not for all that the build is for.
  const bool had_verdicts = search.outcome == "no gain" || search.outcome == "improved";
  if (search.state == State::finished) {
    report.state = "no_gain";
    report.reason = tried;
  } else if (search.state == State::out_of_time && had_verdicts) {
    report.state = "no_gain";
    report.reason = tried + "; its time ended the search, geak optimize goes on";
  } else if (!search.outcome.empty() && !had_verdicts) {
    report.state = "failed";
    report.reason = search.outcome;
  } else if (report.tried.candidates > 0) {
    report.state = "interrupted";
    report.reason = tried + "; geak optimize goes on";
  } else {
    report.state = "marked";
  }
}

void set_state(KernelReport& report, const support::Manifest& manifest, bool known_otherwise) {
  if (report.best) {
    report.state = is_swapped(manifest, report.best->variant.name) ? "swapped" : "optimized";
  } else if (!report.search) {
    report.state = known_otherwise ? "stale" : "marked";
    if (known_otherwise) report.reason = "changed since it was optimized; geak explain says what";
  } else if (still_running(*report.search)) {
    report.state = "running";
  } else {
    set_state_without_gain(report);
  }
}

std::vector<cache::VerifiedVariant> measured_elsewhere(const KeyedKernel& kernel,
                                                       const cache::Cache& cache) {
  std::vector<cache::VerifiedVariant> found;
  for (auto& one : cache.verified(kernel.key.digest)) {  // the highest gain first
    if (one.evidence.type.kind != cache::EvidenceType::Kind::measured ||
        counts_for(one.evidence.type, evidence_for(kernel)) ||
        std::any_of(found.begin(), found.end(),
                    [&](const auto& other) { return other.evidence.type == one.evidence.type; }))
      continue;
    found.push_back(std::move(one));
  }
  return found;
}

KernelReport report_kernel(const support::Manifest& manifest, const KeyedKernel& kernel,
                           const cache::Cache& cache) {
  KernelReport report;
  report.target = manifest.target;
  report.kernel = kernel.marked.full_name();
  report.file = kernel.marked.kernel.span.file;
  report.line = kernel.marked.kernel.span.begin_line;
  report.key = kernel.key.digest;
  report.tolerance = manifest.tolerance;
  const auto type =
      has_gpu() ? evidence_on(device_for(kernel.architecture())) : evidence_for(kernel);
  report.elsewhere = measured_elsewhere(kernel, cache);
  report.best = select_for_build(cache, kernel);
  report.search = cache.search(kernel.key.digest, type);
  report.tried = what_was_tried(cache.trials(kernel.key.digest, type));
  set_state(report, manifest, !report.search && !cache.known_keys(kernel.name).empty());
  if (const auto unproven = unproven_for_build(cache, kernel); !unproven.empty())
    report.reason = unproven + (report.reason.empty() ? "" : "; " + report.reason);
  return report;
}

}  // namespace

BuildReport report_build(const fs::path& build, const cache::Cache& cache,
                         const std::string& target) {
  BuildReport report;
  bool seen = target.empty();
  for (const auto& manifest : support::manifests_of_build(build)) {
    if (!target.empty() && manifest.target != target) continue;
    seen = true;
    auto found = find_marked_kernels(manifest);
    for (const auto& kernel : found.kernels)
      report.kernels.push_back(report_kernel(manifest, with_key(kernel), cache));
    for (auto& problem : found.problems) report.problems.push_back(std::move(problem));
    for (const auto& glob : found.unmatched)
      report.problems.push_back("geak_optimize(" + manifest.target + "): no kernel is named " +
                                glob);
  }
  if (!seen)
    throw std::runtime_error("no target " + target + " in " + build.string() +
                             " is marked with geak_optimize()");
  if (!cache.problem().empty()) report.problems.push_back(cache.problem());
  return report;
}

nlohmann::json to_document(const BuildReport& report) {
  nlohmann::json kernels = nlohmann::json::array();
  for (const auto& one : report.kernels) {
    nlohmann::json kernel = {{"target", one.target}, {"kernel", one.kernel}, {"file", one.file},
                             {"line", one.line},     {"state", one.state},   {"reason", one.reason},
                             {"key", one.key}};
    if (one.search) kernel["trials"] = one.search->trials;
    if (one.search) kernel["seconds"] = one.search->seconds;
    if (one.search) kernel["tried"] = one.tried.to_json();
    if (one.best) {
      const auto& [variant, evidence, created] = *one.best;
      kernel["variant"] = variant.name;
      kernel["source"] = variant.generator;
      kernel["recipe"] = nlohmann::json::parse(variant.recipe, nullptr, false);
      kernel["original_ns"] = evidence.original_ns;
      kernel["variant_ns"] = evidence.variant_ns;
      kernel["ratio"] = evidence.gain;
      kernel["evidence"] = evidence.type.text();
      kernel["verification"] =
          evidence.verification.text() + support::tolerance_note(one.tolerance);
      kernel["inputs_tried"] = evidence.inputs_tried;
      kernel["limiter"] = evidence.limiter;
      kernel["counters"] = nlohmann::json::parse(evidence.counters, nullptr, false);
    }
    for (const auto& [variant, evidence, created] : one.elsewhere)
      kernel["measured_elsewhere"].push_back(
          {{"variant", variant.name},
           {"recipe", nlohmann::json::parse(variant.recipe, nullptr, false)},
           {"original_ns", evidence.original_ns},
           {"variant_ns", evidence.variant_ns},
           {"ratio", evidence.gain},
           {"evidence", evidence.type.text()},
           {"verification", evidence.verification.text()},
           {"inputs_tried", evidence.inputs_tried}});
    kernels.push_back(std::move(kernel));
  }
  return {{"schema", 1}, {"kernels", std::move(kernels)}, {"problems", report.problems}};
}

}  // namespace geak::optimizer
