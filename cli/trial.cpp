// geak trial: the judge alone, for anyone's candidates.
#include <stdlib.h>

#include <cerrno>
#include <filesystem>
#include <iostream>
#include <memory>
#include <system_error>

#include "cli/subcommand.h"
#include "cli/trial_sources.h"
#include "replay/archive/reader.h"
#include "replay/checked_trial.h"
#include "replay/trial.h"
#include "support/child_process.h"
#include "support/emulator_environment.h"
#include "support/interrupt.h"
#include "support/json_text.h"
#include "support/scratch_folder.h"

namespace geak::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string original, candidate, kernel, candidate_kernel, record, launch_change;
  TrialCompiler compiler;
  double tolerance = -1, min_gain = 0, timeout_seconds = 120;
  unsigned max_records = 0;
  bool json = false, real_device = false;
  support::EmulatorSettings emulator;
};

std::chrono::milliseconds milliseconds_of(double seconds) {
  return std::chrono::milliseconds(static_cast<long>(seconds * 1000));
}

std::string architecture_of(const replay::ArchiveReader& archive) {
  for (const auto& object : archive.code_objects()) {
    const auto dashes = object.target.rfind("--");
    const auto name = object.target.substr(dashes == std::string::npos ? 0 : dashes + 2);
    return name.substr(0, name.find(':'));
  }
  throw std::runtime_error("the archive holds no code object");
}

// The archive's symbol for a kernel given by symbol or by name within it.
std::string symbol_of(const replay::ArchiveReader& archive, const std::string& kernel) {
  std::string found;
  for (const auto& launch : archive.launches()) {
    if (launch.kernel == kernel) return kernel;
    const auto mangled = std::to_string(kernel.size()) + kernel;  // "_Z4blurPf" holds "4blur"
    if (launch.kernel.find(mangled) == std::string::npos || launch.kernel == found) continue;
    if (!found.empty()) {
      throw UsageError("'" + kernel + "' names several recorded kernels (" + found + ", " +
                       launch.kernel + "); give the symbol");
    }
    found = launch.kernel;
  }
  if (found.empty()) throw UsageError("the archive has no launch of a kernel '" + kernel + "'");
  return found;
}

support::LaunchChange launch_change_of(const std::string& text) {
  try {
    const auto json = nlohmann::json::parse(text);
    if (!json.is_object()) throw std::runtime_error("it is no JSON object");
    support::LaunchChange change;
    support::from_json(json, change);
    return change;
  } catch (const std::exception& error) {
    throw UsageError("--launch-change: " + std::string(error.what()) +
                     " (docs/schemas.md has its fields)");
  }
}

void print(const replay::TrialResult& result) {
  std::cout << (result.accepted ? "accepted: "
                : result.ran    ? "rejected: "
                                : "not held: ")
            << result.reason << '\n';
  if (!result.attack.empty()) std::cout << "attack " << result.attack << '\n';
  if (result.original_ns > 0 && result.candidate_ns > 0) {
    std::cout << "original " << result.original_ns / 1000 << " us, candidate "
              << result.candidate_ns / 1000 << " us, " << result.gain << "x (" << result.evidence
              << ")\n";
  }
  for (const auto& note : result.notes) std::cout << "note: " << note << '\n';
}

replay::TrialSpec spec_of(const Options& options, const replay::ArchiveReader& archive,
                          const fs::path& folder) {
  replay::TrialSpec spec;
  spec.archive = fs::absolute(options.record);
  spec.kernel = symbol_of(archive, options.kernel);
  if (!options.original.empty()) {
    spec.original_code_object = code_object_of(fs::absolute(options.original), options.compiler,
                                               folder / "original.bundle");
  }
  if (!options.candidate.empty()) {
    spec.candidate_code_object = code_object_of(fs::absolute(options.candidate), options.compiler,
                                                folder / "candidate.bundle");
    spec.candidate = options.candidate_kernel.empty() ? spec.kernel : options.candidate_kernel;
  }
  std::vector<fs::path> sources;
  for (const auto& file : {options.original, options.candidate}) {
    if (!file.empty()) sources.push_back(fs::absolute(file));
  }
  spec.argument_types = parameter_types(spec.kernel, sources, options.compiler);
  if (!options.launch_change.empty()) {
    spec.launch_change = launch_change_of(options.launch_change);
  }
  if (options.tolerance >= 0) spec.tolerance.relative = options.tolerance;
  spec.min_gain = options.min_gain;
  spec.max_records = options.max_records;
  return spec;
}

replay::TrialResult refused(const replay::Refusal& refusal, const std::string& architecture) {
  replay::TrialResult result;
  result.reason = refusal.reason;
  result.attack = refusal.attack;
  result.architecture = architecture;
  return result;
}

// Refused for what its source says, or judged by running it.
replay::TrialResult judge(Options& options) {
  const auto archive = replay::ArchiveReader::open(options.record);
  options.compiler.architecture = architecture_of(archive);
  options.compiler.time = milliseconds_of(options.timeout_seconds);
  if (!options.candidate.empty() && !fs::exists(options.candidate)) {
    throw UsageError("there is no file " + options.candidate);
  }
  if (is_hip_source(options.candidate)) {
    const auto original = options.original.empty() ? fs::path() : fs::absolute(options.original);
    if (const auto refusal =
            check_source(fs::absolute(options.candidate), original, options.compiler)) {
      return refused(*refusal, options.compiler.architecture);
    }
  }
  const support::ScratchFolder scratch("geak-trial");
  replay::TrialSpec spec;
  try {
    spec = spec_of(options, archive, scratch.path());
  } catch (const CompileError& error) {
    if (!error.refusal || error.file != fs::absolute(options.candidate)) throw;
    return refused(*error.refusal, options.compiler.architecture);
  }
  std::vector<std::pair<std::string, std::optional<std::string>>> environment;
  if (!options.real_device) {
    auto emulator = options.emulator;
    if (emulator.arch.empty()) emulator.arch = options.compiler.architecture;
    environment = support::emulator_environment(support::InstallPaths::of_this_program(), emulator);
  }
  replay::TrialLimits limits;
  limits.time = milliseconds_of(options.timeout_seconds);
  auto result = replay::run_trial(spec, limits, environment);
  if (!options.real_device) {
    result = replay::check_on_emulator(spec, limits, environment, std::move(result));
  }
  return result;
}

// What keeps the trial from being held is no verdict: exit code 2.
replay::TrialResult judge_or_say(Options& options) {
  try {
    return judge(options);
  } catch (const std::exception& error) {
    throw UsageError(error.what());
  }
}

void trial(Options& options) {
  support::install_interrupt_handlers();
  const auto result = judge_or_say(options);
  if (options.json) {
    std::cout << support::json_text(replay::to_json(result), 2) << '\n';
  } else {
    print(result);
  }
  if (!result.accepted) throw CLI::RuntimeError(result.ran ? 1 : 2);
}

}  // namespace

void add_trial(CLI::App& app) {
  auto* command = app.add_subcommand("trial",
                                     "Judge a candidate kernel on recorded launches (exit code 0: "
                                     "accepted, 1: rejected, 2: not held)");
  auto options = std::make_shared<Options>();
  command->add_option("--record", options->record, "The archive of `geak record`")->required();
  command->add_option("--kernel", options->kernel, "The recorded kernel: its name or device symbol")
      ->required();
  command->add_option(
      "--candidate", options->candidate,
      "The candidate: HIP source or code object; without one the original is replayed");
  command->add_option("--candidate-kernel", options->candidate_kernel,
                      "Its device symbol (default: the original's)");
  command->add_option("--original", options->original,
                      "Source or code object of the original (default: as recorded)");
  command->add_option("--launch-change", options->launch_change,
                      "JSON: how its launch follows from the recorded one (docs/schemas.md)");
  command->add_option("--tolerance", options->tolerance, "Relative error that is allowed")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--min-gain", options->min_gain,
                      "Accept only from this gain on, above the noise");
  command->add_option("--max-records", options->max_records, "Launches tried (default: all)");
  command->add_option("--compiler", options->compiler.program,
                      "Compiler of sources (default hipcc)");
  command->add_option("--flag", options->compiler.flags,
                      "A further flag of the compiler's; repeatable");
  command
      ->add_option("--timeout", options->timeout_seconds,
                   "Seconds for the trial, and for each file that is compiled (default 120)")
      ->check(CLI::PositiveNumber);
  command->add_flag("--real-device", options->real_device,
                    "Use this machine's GPU, not the emulated one");
  command->add_option("--device", options->emulator.device, "Emulated device: MI210, MI250X, ...");
  command->add_flag("--json", options->json, "Print the result as JSON (docs/schemas.md)");
  command->callback([options] { trial(*options); });
}

}  // namespace geak::cli
