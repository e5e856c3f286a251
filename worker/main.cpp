// geak-worker, geak-worker-hip: tries a bundle's candidates on this machine's GPU. It needs a
// driver and a compiler (nvcc, hipcc), nothing else of geak.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "support/child_process.h"
#include "support/interrupt.h"
#include "support/json_text.h"
#include "worker/court.h"
#include "worker/gpu.h"
#include "worker/run.h"

namespace {

namespace fs = std::filesystem;

// The child that a run starts for each kernel: geak-worker --court JOB.json STEPS.jsonl
int hold_court(const std::string& job_file, const std::string& steps_file) {
  try {
    std::ifstream stream(job_file);
    const auto job = geak::worker::court_job_from_json(nlohmann::json::parse(stream));
    std::ofstream steps(steps_file);
    geak::worker::hold_court(job, [&](const nlohmann::json& step) {
      steps << geak::support::json_text(step) << std::endl;
    });
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "error: " << error.what() << std::endl;
    // A device that faulted is not tidied up: its context answers every call with the fault.
    std::_Exit(1);
  }
}

// On a machine without an NVIDIA driver geak-worker is geak-worker-hip, where that is beside it.
void become_the_other(int argc, char** argv) {
  const auto other = geak::worker::other_worker();
  if (other.empty()) return;
  const auto file = fs::read_symlink("/proc/self/exe").parent_path() / other;
  if (!fs::exists(file)) return;
  geak::support::ChildOptions child;
  child.command = {file.string()};
  child.command.insert(child.command.end(), argv + 1, argv + argc);
  geak::support::exec_child(child);
}

void add_options(CLI::App& app, geak::worker::RunOptions& options,
                 std::vector<std::string>& bundles, std::string& result, std::string& work) {
  app.add_option("bundle", bundles, "The bundle, or several that are tried as one")
      ->required()
      ->check(CLI::ExistingFile);
  app.add_option("-o,--output", result,
                 "The result (default RESULT.json); an earlier one of the same bundle is gone on "
                 "with");
  app.add_option("--work", work,
                 "Folder for sources, code and records (default: beside the result); kept, so that "
                 "a rerun goes on");
  app.add_option("--only", options.only, "Only kernels whose TARGET:KERNEL matches this glob");
  app.add_option("--sizes", options.sizes,
                 "Only records of these sizes, comma-separated, in this order")
      ->delimiter(',');
  app.add_option("--jobs", options.jobs, "Compilers at once (default: one a core)");
  app.add_option("--recorders", options.recorders, "Programs recorded at once (default 4)");
  app.add_option("--budget", options.seconds_a_kernel,
                 "Seconds for each kernel and size (default 60)");
  app.add_option("--total", options.seconds,
                 "Seconds for all, shared among what is left (default: no end)");
  app.add_option("--record-budget", options.record_seconds,
                 "Seconds for each program's run that is recorded (default 120)");
  app.add_option("--records", options.records, "Launches tried of each (default 3)");
  app.add_option("--verify-all", options.verify_all_of,
                 "Sizes of which every candidate is verified; of the others the fastest that is "
                 "right (default: all)")
      ->delimiter(',');
  app.add_option("--time-only", options.verify_none_of, "Sizes of which none is verified")
      ->delimiter(',');
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4 && std::string(argv[1]) == "--court") return hold_court(argv[2], argv[3]);
  geak::worker::RunOptions options;
  std::vector<std::string> bundles;
  std::string result = "RESULT.json", work;
  CLI::App app(
      "Compiles and tries the candidates of a bundle (geak bundle) on this machine's GPU and "
      "writes a result for geak import. It builds and runs the bundle's own program: take bundles "
      "from people whose programs you would run.");
  app.set_version_flag("--version", GEAK_VERSION);
  add_options(app, options, bundles, result, work);
  CLI11_PARSE(app, argc, argv);
  for (const auto& bundle : bundles) options.bundles.push_back(fs::absolute(bundle));
  options.result = fs::absolute(result);
  options.work = fs::absolute(work.empty() ? result + ".work" : work);
  options.verify_all = app.count("--verify-all") == 0;
  options.progress = [](const std::string& line) {
    std::cerr << "geak-worker: " << line << std::endl;
  };
  geak::support::install_interrupt_handlers();
  try {
    become_the_other(argc, argv);
    if (geak::worker::run_bundle(options)) return 0;
    std::cerr << "geak-worker: stopped; a rerun goes on\n";
    return 130;
  } catch (const std::exception& error) {
    std::cerr << "geak-worker: error: " << error.what() << '\n';
    return 1;
  }
}
