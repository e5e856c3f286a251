// The worker's side of AMD: HSA and hipcc.
#include <chrono>
#include <cstdlib>
#include <stdexcept>

#include "replay/code_object/elf.h"
#include "replay/hsa/hsa_device.h"
#include "worker/find_program.h"
#include "worker/gpu.h"
#include "worker/kernel_symbol.h"

namespace geak::worker {
namespace {

namespace fs = std::filesystem;

// A kernel has a descriptor beside its code, "<symbol>.kd".
std::vector<std::string> kernels_of(const std::vector<std::byte>& code) {
  std::vector<std::string> names;
  for (const auto& symbol : replay::read_elf(code).symbols)
    if (symbol.name.ends_with(".kd"))
      names.push_back(symbol.name.substr(0, symbol.name.size() - 3));
  return names;
}

}  // namespace

Gpu open_gpu() {
  auto device = std::make_unique<replay::HsaDevice>("");
  auto architecture = device->isa();  // "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-"
  architecture.erase(0, architecture.rfind("--") + 2);
  architecture.erase(std::min(architecture.find(':'), architecture.size()));
  return {std::move(device), architecture};
}

double copy_bandwidth(replay::Device& device) {
  constexpr std::size_t kBytes = 256ull << 20;
  constexpr int kTimes = 10;
  const auto a = device.allocate(kBytes), b = device.allocate(kBytes);
  device.fill(a.get(), std::byte{0x5a}, kBytes);
  device.copy(b.get(), a.get(), kBytes);
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kTimes; ++i) device.copy(b.get(), a.get(), kBytes);
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
  return 2.0 * kBytes * kTimes / took.count();
}

std::string other_worker() { return ""; }

std::string find_compiler() {
  const auto found = find_program("HIPCC", "hipcc", "/opt/rocm/bin");
  if (found.empty())
    throw std::runtime_error("no hipcc in PATH or /opt/rocm/bin; install it or set HIPCC");
  return found;
}

std::vector<std::string> code_command(const std::string& compiler, const std::string& architecture,
                                      const std::vector<std::string>& options,
                                      const fs::path& source, const fs::path& output) {
  std::vector<std::string> command = {compiler,
                                      "-c",
                                      "--cuda-device-only",
                                      "--no-gpu-bundle-output",
                                      "-fno-gpu-rdc",
                                      "--offload-arch=" + architecture,
                                      "-O3",
                                      "-w",
                                      "-o",
                                      output.string()};
  command.insert(command.end(), options.begin(), options.end());
  command.insert(command.end(), {"-x", "hip", source.string()});
  return command;
}

std::vector<std::string> program_command(const std::string& compiler,
                                         const std::string& architecture,
                                         const std::vector<std::string>& options,
                                         const std::vector<fs::path>& sources,
                                         const std::vector<std::string>& libraries,
                                         const fs::path& output) {
  std::vector<std::string> command = {
      compiler, "--offload-arch=" + architecture, "-O3", "-w", "-o", output.string()};
  command.insert(command.end(), options.begin(), options.end());
  command.insert(command.end(), {"-x", "hip"});
  for (const auto& source : sources) command.push_back(source.string());
  command.insert(command.end(), {"-x", "none"});
  command.insert(command.end(), libraries.begin(), libraries.end());
  return command;
}

std::string option_for_compiler(const std::string& option) {
  if (option == "--use_fast_math") return "-ffast-math";
  if (option == "--fmad=false") return "-ffp-contract=off";
  return option;
}

fs::path header_folder(const fs::path&) { return {}; }

const char* recorder_library() { return "libgeak-record.so"; }

std::vector<std::pair<std::string, std::string>> program_environment(const std::string&) {
  return {};
}

// The same compiler made the symbol: it is there as it is, or not at all.
std::string original_kernel(const std::vector<std::byte>& code, const std::string& symbol) {
  for (const auto& name : kernels_of(code))
    if (name == symbol) return name;
  return original_symbol(kernels_of(code), symbol);
}

std::string candidate_kernel(const std::vector<std::byte>& code, const std::string& name) {
  return candidate_symbol(kernels_of(code), name);
}

std::optional<replay::Refusal> check_sides(const replay::Side& original, const std::string& symbol,
                                           const replay::Side& candidate, const std::string& name) {
  return replay::check_code({original.code(), symbol}, {candidate.code(), name});
}

}  // namespace geak::worker
