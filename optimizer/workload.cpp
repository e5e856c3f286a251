#include "optimizer/workload.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>

#include "support/child_process.h"
#include "support/emulator_environment.h"
#include "support/json_text.h"

namespace geak::optimizer {
namespace {

namespace fs = std::filesystem;

// The program as the workload's working directory finds it; names without '/' come from PATH.
fs::path program_of(const support::Manifest& twin) {
  const fs::path program = twin.workload.front();
  if (program.is_absolute() || program.string().find('/') == std::string::npos) return program;
  return twin.workload_directory / program;
}

support::Manifest twin_of(const support::Manifest& manifest) {
  const fs::path file = manifest.original / "geak" / "targets" / (manifest.target + ".json");
  if (manifest.original.empty() || !fs::exists(file))
    throw std::runtime_error("the unswapped twin of " + manifest.target + " is not there (" +
                             file.string() + "); build the target geak-optimize, which makes it");
  return support::read_manifest(file);
}

// What a recording depends on. A changed program has another size or time.
nlohmann::json inputs_of(const support::Manifest& twin, const Device& device) {
  const fs::path program = program_of(twin);
  nlohmann::json inputs = {
      {"command", twin.workload},
      {"working_directory", twin.workload_directory.string()},
      {"device", device.emulated ? "emulated " + device.architecture : device.architecture}};
  std::error_code error;
  if (const auto size = fs::file_size(program, error); !error) {
    inputs["program_bytes"] = size;
    inputs["program_time"] = fs::last_write_time(program).time_since_epoch().count();
  }
  return inputs;
}

nlohmann::json read_json(const fs::path& file) {
  std::ifstream stream(file);
  return stream ? nlohmann::json::parse(stream, nullptr, /*allow_exceptions=*/false)
                : nlohmann::json();
}

std::string last_lines(const std::string& text) {
  constexpr std::size_t kShown = 600;
  return text.size() > kShown ? "..." + text.substr(text.size() - kShown) : text;
}

void run_recorder(const support::Manifest& twin, const Device& device, const fs::path& archive) {
  const auto paths = support::InstallPaths::of_this_program();
  support::ChildOptions child;
  child.command = {(paths.bin / "geak").string(), "record", "-o", archive.string(), "--",
                   program_of(twin).string()};
  child.command.insert(child.command.end(), twin.workload.begin() + 1, twin.workload.end());
  child.directory = twin.workload_directory;
  if (device.emulated) {
    support::EmulatorSettings settings;
    settings.arch = device.architecture;
    settings.hip_program = true;
    child.environment = support::emulator_environment(paths, settings);
  }
  const auto result = support::run_child(child);
  if (result.interrupted) throw std::runtime_error("interrupted while recording");
  if (!result.succeeded())
    throw std::runtime_error("recording the workload of " + twin.target + " failed (exit code " +
                             std::to_string(result.exit_code) +
                             "): " + last_lines(result.err.empty() ? result.out : result.err));
  if (!fs::exists(archive))
    throw std::runtime_error("recording the workload of " + twin.target +
                             " made no archive: " + last_lines(result.err));
}

}  // namespace

Device device_for(const std::string& architecture) {
  if (!has_gpu()) return {true, architecture, ""};
  // HSA is asked in another process: a runtime that is loaded here would keep the GPU.
  static std::map<std::string, std::string> names;
  auto& name = names[architecture];
  if (name.empty()) {
    support::ChildOptions child;
    child.command = {(support::InstallPaths::of_this_program().bin / "geak-replay").string(),
                     "--device", architecture};
    const auto result = support::run_child(child);
    if (!result.succeeded() || result.out.empty())
      throw std::runtime_error("asking this machine's GPU: " + last_lines(result.err));
    name = result.out.substr(0, result.out.find('\n'));
  }
  return {false, architecture, name};
}

bool has_gpu() {
  const char* emulate = std::getenv("GEAK_EMULATE");
  if (emulate && *emulate && std::string_view(emulate) != "0") return false;
  return access("/dev/kfd", R_OK | W_OK) == 0;
}

Recording record_workload(const support::Manifest& manifest, const std::string& name,
                          const Device& device,
                          const std::function<void(const std::string&)>& progress) {
  const support::Manifest twin = twin_of(manifest);
  if (twin.workload.empty())
    throw std::runtime_error("geak_optimize(" + manifest.target +
                             " ...) names no WORKLOAD, so there is nothing to record");
  const fs::path program = program_of(twin);
  if (program.is_absolute() && !fs::exists(program))
    throw std::runtime_error("the workload's program " + program.string() +
                             " is not built; build the target geak-optimize");
  const fs::path folder = manifest.build / "geak" / "records";
  Recording recording{folder / (name + ".geakrec")};
  const fs::path inputs_file = folder / (name + ".json");
  const auto inputs = inputs_of(twin, device);
  if (fs::exists(recording.archive) && read_json(inputs_file) == inputs) {
    recording.reused = true;
    return recording;
  }
  fs::create_directories(folder);
  fs::remove(inputs_file);
  progress("recording " + program.filename().string() +
           (device.emulated ? " on the emulated " + device.architecture : ""));
  run_recorder(twin, device, recording.archive);
  std::ofstream(inputs_file) << support::json_text(inputs, 2) << "\n";
  return recording;
}

}  // namespace geak::optimizer
