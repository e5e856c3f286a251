// The worker's side of NVIDIA: the CUDA driver and nvcc, to which HIP sources are CUDA by a header.
#include <chrono>
#include <cstdlib>
#include <stdexcept>

#include "replay/cuda/cuda_device.h"
#include "worker/find_program.h"
#include "worker/gpu.h"
#include "worker/kernel_symbol.h"

namespace geak::worker {

namespace fs = std::filesystem;

Gpu open_gpu() {
  auto device = std::make_unique<replay::cuda::CudaDevice>();
  const auto architecture = device->architecture();
  return {std::move(device), architecture};
}

double copy_bandwidth(replay::Device& device) {
  constexpr std::size_t kBytes = 1ull << 30;
  constexpr int kTimes = 20;
  const auto a = device.allocate(kBytes), b = device.allocate(kBytes);
  device.fill(a.get(), std::byte{0x5a}, kBytes);
  device.copy(b.get(), a.get(), kBytes);
  const auto& api = replay::cuda::driver();
  replay::cuda::check(api.synchronize(), "cuCtxSynchronize");
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kTimes; ++i) device.copy(b.get(), a.get(), kBytes);
  replay::cuda::check(api.synchronize(), "cuCtxSynchronize");
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
  return 2.0 * kBytes * kTimes / took.count();
}

std::string other_worker() {
  try {
    replay::cuda::driver();
    return "";
  } catch (const std::runtime_error&) {
    return "geak-worker-hip";
  }
}

std::string find_compiler() {
  const auto found = find_program("NVCC", "nvcc", "/usr/local/cuda/bin");
  if (found.empty())
    throw std::runtime_error(
        "no nvcc in PATH or /usr/local/cuda/bin; install CUDA's compiler or set NVCC");
  return found;
}

std::vector<std::string> code_command(const std::string& compiler, const std::string& architecture,
                                      const std::vector<std::string>& options,
                                      const fs::path& source, const fs::path& output) {
  std::vector<std::string> command = {compiler, "-x", "cu", "-cubin",       "-arch=" + architecture,
                                      "-O3",    "-w", "-o", output.string()};
  command.insert(command.end(), options.begin(), options.end());
  command.push_back(source.string());
  return command;
}

// The recorder stands before the shared runtime library.
std::vector<std::string> program_command(const std::string& compiler,
                                         const std::string& architecture,
                                         const std::vector<std::string>& options,
                                         const std::vector<fs::path>& sources,
                                         const std::vector<std::string>& libraries,
                                         const fs::path& output) {
  std::vector<std::string> command = {
      compiler, "-arch=" + architecture, "-O3", "-w", "-cudart", "shared", "-o", output.string()};
  command.insert(command.end(), options.begin(), options.end());
  command.insert(command.end(), {"-x", "cu"});
  for (const auto& source : sources) command.push_back(source.string());
  command.insert(command.end(), libraries.begin(), libraries.end());
  return command;
}

std::string option_for_compiler(const std::string& option) { return option; }

fs::path header_folder(const fs::path& sources) { return sources / "hip_on_cuda"; }

const char* recorder_library() { return "libgeak-record-cuda.so"; }

std::vector<std::pair<std::string, std::string>> program_environment(const std::string& compiler) {
  const auto root = fs::path(compiler).parent_path().parent_path();
  const char* present = std::getenv("LD_LIBRARY_PATH");
  return {{"LD_LIBRARY_PATH", (root / "lib64").string() + ":" +
                                  (root / "targets/x86_64-linux/lib").string() +
                                  (present && *present ? std::string(":") + present : "")}};
}

std::string original_kernel(const std::vector<std::byte>& code, const std::string& symbol) {
  return original_symbol(functions_of(code), symbol);
}

std::string candidate_kernel(const std::vector<std::byte>& code, const std::string& name) {
  return candidate_symbol(functions_of(code), name);
}

std::optional<replay::Refusal> check_sides(const replay::Side& original, const std::string&,
                                           const replay::Side& candidate, const std::string&) {
  return replay::check_cubin(original.code(), original.metadata(), candidate.code(),
                             candidate.metadata());
}

}  // namespace geak::worker
