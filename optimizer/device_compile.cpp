#include "optimizer/device_compile.h"

#include "optimizer/device_arguments.h"

namespace geak::optimizer {
namespace {

// A broken variant can make the compiler eat the machine; an ordinary unit needs a tenth of this.
constexpr std::uint64_t kCompilerMemory = 8ull << 30;

std::string first_error(const std::string& output) {
  std::string first_line;
  for (std::size_t at = 0; at < output.size();) {
    const std::size_t end = std::min(output.find('\n', at), output.size());
    const std::string line = output.substr(at, end - at);
    if (line.find("error") != std::string::npos) return line;
    if (first_line.empty()) first_line = line;
    at = end + 1;
  }
  return first_line;
}

}  // namespace

support::ChildOptions compiler_child(const DeviceCompile& request) {
  support::ChildOptions child;
  child.directory = request.command.directory;
  child.timeout = request.timeout;
  child.address_space_bytes = kCompilerMemory;
  // What ships is not compiled through ccache's preprocessor, and a trial never shares its entry.
  child.environment = {{"CCACHE_DISABLE", "1"}};
  child.own_temporaries = true;
  return child;
}

DeviceCompileResult compile_device(const DeviceCompile& request) {
  std::vector<std::string> more;
  if (!request.overlay.empty()) more = {"-ivfsoverlay", request.overlay.string()};
  auto child = compiler_child(request);
  child.command = device_arguments(request.command, request.target_id, more, request.output);
  const auto run = support::run_child(child);
  DeviceCompileResult result;
  result.interrupted = run.interrupted;
  result.seconds = std::chrono::duration<double>(run.wall).count();
  result.succeeded = run.succeeded() && std::filesystem::exists(request.output);
  if (result.succeeded) return result;
  if (run.timed_out)
    result.problem =
        "the compiler took longer than " + std::to_string(request.timeout.count() / 1000) + " s";
  else
    result.problem = first_error(run.err.empty() ? run.out : run.err);
  if (result.problem.empty())
    result.problem = "the compiler ended with code " + std::to_string(run.exit_code);
  return result;
}

}  // namespace geak::optimizer
