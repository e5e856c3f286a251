#include "worker/recordings.h"

#include <chrono>
#include <stdexcept>

#include "replay/archive/writer.h"
#include "support/child_process.h"
#include "support/interrupt.h"
#include "worker/builds.h"
#include "worker/compile.h"
#include "worker/gpu.h"

namespace geak::worker {
namespace {

namespace fs = std::filesystem;

std::string last_lines(const std::string& text) {
  constexpr std::size_t kShown = 400;
  return text.size() > kShown ? "..." + text.substr(text.size() - kShown) : text;
}

std::string preloaded(const fs::path& recorder) {
  const char* present = std::getenv("LD_PRELOAD");
  return recorder.string() + (present && *present ? std::string(":") + present : "");
}

}  // namespace

Recordings::Recordings(const Bundle& bundle, const RecordingTools& tools,
                       std::vector<WantedRun> runs, unsigned at_once, Tell tell)
    : bundle_(bundle), tools_(tools), runs_(std::move(runs)), tell_(std::move(tell)) {
  for (const auto& run : runs_) building_[run.workload];
  for (unsigned i = 0; i < std::max(1u, at_once); ++i) threads_.emplace_back([this] { work(); });
}

Recordings::~Recordings() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  for (auto& thread : threads_) thread.join();
}

void Recordings::work() {
  while (true) {
    WantedRun run;
    {
      const std::lock_guard lock(mutex_);
      if (stopping_ || next_ == runs_.size()) return;
      run = runs_[next_++];
    }
    std::string problem;
    try {
      if (support::interrupted()) throw std::runtime_error("interrupted before it was recorded");
      record(run);
    } catch (const std::exception& error) {
      problem = error.what();
    }
    tell_(run, problem);
    {
      const std::lock_guard lock(mutex_);
      ended_[run.run] = problem.empty();
    }
    changed_.notify_all();
  }
}

fs::path Recordings::archive(const WantedRun& run) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return ended_.contains(run.run); });
  return ended_[run.run] ? file_of(run) : fs::path();
}

fs::path Recordings::file_of(const WantedRun& run) const {
  return tools_.work / (run.workload->target + "." + run.run->size + ".geakrec");
}

// One build serves all runs of a program.
fs::path Recordings::program_of(const Workload& workload) {
  const std::lock_guard lock(building_.at(&workload));
  const fs::path program = tools_.work / (workload.target + ".program");
  if (fs::exists(program)) return program;
  const fs::path partial = program.string() + ".partial";
  std::vector<std::string> options;
  std::vector<fs::path> sources;
  for (const auto index : workload.units) {
    const auto& unit = bundle_.units[index];
    // The options of one unit serve all: a compiler takes one set for a command.
    if (sources.empty()) options = options_of(unit, tools_.sources, header_folder(tools_.sources));
    sources.push_back(tools_.sources / unit.main);
  }
  support::ChildOptions child;
  child.command = program_command(tools_.compiler, tools_.architecture, options, sources,
                                  workload.libraries, partial);
  child.timeout = std::chrono::seconds(180);
  child.own_temporaries = true;
  const auto ended = support::run_child(child);
  if (!ended.succeeded())
    throw std::runtime_error("the workload of " + workload.target +
                             " does not build: " + first_error(ended.err));
  fs::rename(partial, program);
  return program;
}

// An archive that is there already is kept.
void Recordings::record(const WantedRun& wanted) {
  const fs::path archive = file_of(wanted);
  if (fs::exists(archive)) return;
  const auto program = program_of(*wanted.workload);
  const fs::path partial = archive.string() + ".partial";
  fs::remove(partial);
  replay::create_archive(partial);
  support::ChildOptions child;
  child.command = {program.string()};
  child.command.insert(child.command.end(), wanted.run->arguments.begin(),
                       wanted.run->arguments.end());
  child.environment = {{"LD_PRELOAD", preloaded(tools_.recorder)},
                       {"GEAK_RECORD_FILE", partial.string()},
                       {"GEAK_RECORD_SAMPLES", std::to_string(tools_.samples)},
                       {"GEAK_RECORD_CLASS_MIB", "2048"},
                       {"GEAK_DISABLE", "1"}};
  for (const auto& [name, value] : program_environment(tools_.compiler))
    child.environment.emplace_back(name, value);
  child.directory = tools_.work;
  child.timeout = std::chrono::milliseconds(static_cast<long>(tools_.seconds * 1000));
  const auto ended = support::run_child(child);
  if (ended.interrupted) throw std::runtime_error("interrupted while recording");
  if (!ended.succeeded()) {
    fs::remove(partial);
    throw std::runtime_error(wanted.workload->target + " (" + wanted.run->size + ") " +
                             (ended.timed_out
                                  ? "was stopped by its time limit while it was recorded"
                                  : "ended with exit code " + std::to_string(ended.exit_code)) +
                             ": " + last_lines(ended.err + ended.out));
  }
  fs::rename(partial, archive);
}

}  // namespace geak::worker
