// geak record: keeps the kernel launches of a program in an archive.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <set>

#include "cli/emulated_program.h"
#include "cli/subcommand.h"
#include "replay/archive/reader.h"
#include "replay/archive/writer.h"
#include "support/interrupt.h"

namespace geak::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string output;
  bool real_device = false;
  unsigned samples = 0;
  EmulatedProgram program;
};

// The machine's own GPU, where it has one and nothing asks for the emulated one.
bool uses_emulator(const Options& options) {
  if (options.real_device) return false;
  if (!options.program.emulator.arch.empty() || !options.program.emulator.device.empty())
    return true;
  return std::getenv("GEAK_EMU_ARCH") != nullptr || !fs::exists("/dev/kfd");
}

std::vector<std::pair<std::string, std::optional<std::string>>> environment_of(
    const Options& options, const fs::path& archive) {
  const auto paths = support::InstallPaths::of_this_program();
  if (!fs::exists(paths.recorder_library)) {
    throw std::runtime_error("the recorder is missing: " + paths.recorder_library.string() +
                             " (build the target geak_record, or reinstall geak)");
  }
  std::vector<std::pair<std::string, std::optional<std::string>>> variables;
  if (uses_emulator(options))
    variables = support::emulator_environment(paths, options.program.emulator);
  // What the emulator's environment preloads comes after: the recorder sees the program's calls.
  std::string preload = paths.recorder_library.string();
  std::string others;
  for (const auto& [name, value] : variables) {
    if (name == "LD_PRELOAD" && value) others = *value;
  }
  if (const char* own = std::getenv("LD_PRELOAD"); others.empty() && own) others = own;
  if (!others.empty()) preload += ":" + others;
  variables.emplace_back("LD_PRELOAD", preload);
  variables.emplace_back("GEAK_RECORD_FILE", archive.string());
  // A swapped program runs its originals: never is a variant recorded as an original.
  variables.emplace_back("GEAK_DISABLE", "1");
  if (options.samples)
    variables.emplace_back("GEAK_RECORD_SAMPLES", std::to_string(options.samples));
  return variables;
}

int run_recorded(const Options& options, const fs::path& archive) {
  auto child = as_child(options.program);
  child.environment = environment_of(options, archive);
  const auto result = run_program(child);
  if (result.timed_out) throw UsageError("the program was stopped by --timeout", 124);
  if (result.interrupted) throw UsageError("interrupted", 130);
  return result.exit_code;
}

void report(const fs::path& archive) {
  const auto reader = replay::ArchiveReader::open(archive);
  for (const auto& problem : reader.problems()) std::cerr << "geak record: " << problem << '\n';
  std::set<std::string> kernels;
  for (const auto& launch : reader.launches()) kernels.insert(launch.kernel);
  std::cerr << "geak record: " << reader.launches().size() << " launches of " << kernels.size()
            << (kernels.size() == 1 ? " kernel, " : " kernels, ") << fs::file_size(archive) / 1024
            << " KiB\n";
  for (const auto& summary : reader.summaries()) {
    for (const auto& sentence : summary.skipped) {
      std::cerr << "geak record:   " << sentence << '\n';
    }
  }
  if (reader.launches().empty()) {
    throw std::runtime_error(
        "no kernel launch was recorded: does the program use HIP, and did it "
        "launch a kernel?");
  }
}

// Removes the unfinished archive unless it became the real one.
struct Partial {
  fs::path file;
  ~Partial() {
    std::error_code ignored;
    fs::remove(file, ignored);
  }
};

void record(const Options& options) {
  require_program(options.program, "geak record -o FILE");
  support::install_interrupt_handlers();
  const auto target = fs::absolute(options.output);
  const Partial partial{target.string() + ".partial-" + std::to_string(::getpid())};
  replay::create_archive(partial.file);
  const int code = run_recorded(options, partial.file);
  if (code != 0) {
    throw UsageError(
        "the program ended with exit code " + std::to_string(code) + "; its record is not kept",
        code);
  }
  report(partial.file);
  fs::rename(partial.file, target);
}

}  // namespace

void add_record(CLI::App& app) {
  auto* command =
      app.add_subcommand("record", "Keep a program's kernel launches, for trials of variants");
  auto options = std::make_shared<Options>();
  command->add_option("-o,--output", options->output, "The archive to write (.geakrec)")
      ->required();
  command->add_flag("--real-device", options->real_device,
                    "Use this machine's GPU (default where it has one, unless an architecture or "
                    "device is named)");
  add_emulated_program(*command, options->program);
  command
      ->add_option("--samples", options->samples,
                   "Launches kept of each kernel, launch shape and memory size (default 6)")
      ->check(CLI::PositiveNumber);
  command->callback([options] { record(*options); });
}

}  // namespace geak::cli
