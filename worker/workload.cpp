#include "worker/workload.h"

#include <chrono>
#include <stdexcept>

#include "replay/archive/writer.h"
#include "support/child_process.h"
#include "worker/compile.h"

namespace geak::worker {
namespace {

namespace fs = std::filesystem;

std::string last_lines(const std::string& text) {
  constexpr std::size_t kShown = 400;
  return text.size() > kShown ? "..." + text.substr(text.size() - kShown) : text;
}

fs::path build(const Bundle& bundle, const Workload& workload, const RecordingTools& tools) {
  const fs::path program = tools.work / (workload.target + ".program");
  if (fs::exists(program)) return program;
  support::ChildOptions child;
  child.command = {tools.compiler, "-arch=" + tools.architecture, "-O3", "-w", "-cudart", "shared",
                   "-o",           program.string() + ".partial"};
  bool first = true;
  for (const auto index : workload.units) {
    const auto& unit = bundle.units[index];
    // The options of one unit serve all: nvcc takes one set for a command.
    if (first)
      for (auto& option : options_of(unit, tools.sources)) child.command.push_back(option);
    if (first) child.command.insert(child.command.end(), {"-x", "cu"});
    first = false;
    child.command.push_back((tools.sources / unit.main).string());
  }
  for (const auto& library : workload.libraries) child.command.push_back(library);
  child.timeout = std::chrono::seconds(180);
  const auto ended = support::run_child(child);
  if (!ended.succeeded())
    throw std::runtime_error("the workload of " + workload.target +
                             " does not build: " + first_error(ended.err));
  fs::rename(program.string() + ".partial", program);
  return program;
}

// Where nvcc's own runtime is: the program finds it there.
std::string library_path(const std::string& compiler) {
  const auto root = fs::path(compiler).parent_path().parent_path();
  const char* present = std::getenv("LD_LIBRARY_PATH");
  return (root / "lib64").string() + ":" + (root / "targets/x86_64-linux/lib").string() +
         (present && *present ? std::string(":") + present : "");
}

}  // namespace

std::vector<std::string> options_of(const Unit& unit, const fs::path& sources) {
  std::vector<std::string> options = {"-I", (sources / "hip_on_cuda").string()};
  for (const auto& folder : unit.includes) {
    options.emplace_back("-I");
    options.push_back((folder == "." ? sources : sources / folder).string());
  }
  options.insert(options.end(), unit.options.begin(), unit.options.end());
  return options;
}

fs::path record(const Bundle& bundle, const Workload& workload, const Workload::Run& run,
                const RecordingTools& tools) {
  const fs::path archive = tools.work / (workload.target + "." + run.size + ".geakrec");
  if (fs::exists(archive)) return archive;
  const auto program = build(bundle, workload, tools);
  const fs::path partial = archive.string() + ".partial";
  fs::remove(partial);
  replay::create_archive(partial);
  support::ChildOptions child;
  child.command = {program.string()};
  child.command.insert(child.command.end(), run.arguments.begin(), run.arguments.end());
  child.environment = {{"LD_PRELOAD", tools.recorder.string()},
                       {"GEAK_RECORD_FILE", partial.string()},
                       {"GEAK_RECORD_SAMPLES", std::to_string(tools.samples)},
                       {"GEAK_RECORD_CLASS_MIB", "2048"},
                       {"GEAK_DISABLE", "1"},
                       {"LD_LIBRARY_PATH", library_path(tools.compiler)}};
  child.directory = tools.work;
  child.timeout = std::chrono::milliseconds(static_cast<long>(tools.seconds * 1000));
  const auto ended = support::run_child(child);
  if (ended.interrupted) throw std::runtime_error("interrupted while recording");
  if (!ended.succeeded()) {
    fs::remove(partial);
    throw std::runtime_error(workload.target + " (" + run.size + ") " +
                             (ended.timed_out
                                  ? "was stopped by its time limit while it was recorded"
                                  : "ended with exit code " + std::to_string(ended.exit_code)) +
                             ": " + last_lines(ended.err + ended.out));
  }
  fs::rename(partial, archive);
  return archive;
}

}  // namespace geak::worker
