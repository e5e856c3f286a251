// What differs between the makers of GPUs: the device, its compiler, how kernels are named in its
// code, how programs are recorded. geak-worker has one side of it (gpu_cuda.cpp), geak-worker-hip
// the other (gpu_hsa.cpp).
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "replay/gates/static_gates.h"
#include "replay/replayer/side.h"

namespace geak::worker {

struct Gpu {
  std::unique_ptr<replay::Device> device;
  std::string architecture;  // as its compiler calls it: "sm_90", "gfx90a"
};

// The first GPU. Throws std::runtime_error where there is none.
Gpu open_gpu();
// What copying on the device reaches, bytes read plus written, in bytes a nanosecond.
double copy_bandwidth(replay::Device& device);
// Name of the other worker program where this one has no driver to work with; empty: it has.
std::string other_worker();

// nvcc or hipcc. Throws std::runtime_error that names the remedy.
std::string find_compiler();
// Compiles one source for the device alone. `options`: of the unit, for this compiler.
std::vector<std::string> code_command(const std::string& compiler, const std::string& architecture,
                                      const std::vector<std::string>& options,
                                      const std::filesystem::path& source,
                                      const std::filesystem::path& output);
// Compiles and links a program of several sources.
std::vector<std::string> program_command(const std::string& compiler,
                                         const std::string& architecture,
                                         const std::vector<std::string>& options,
                                         const std::vector<std::filesystem::path>& sources,
                                         const std::vector<std::string>& libraries,
                                         const std::filesystem::path& output);
// A bundle's option (bundle_format.md) as this compiler has it.
std::string option_for_compiler(const std::string& option);
// Where the bundle's own HIP header is to be found; empty: the compiler has one.
std::filesystem::path header_folder(const std::filesystem::path& sources);

// File name of the library that records a program's launches.
const char* recorder_library();
// What a program needs beside it to run. `compiler` brings its own runtime.
std::vector<std::pair<std::string, std::string>> program_environment(const std::string& compiler);

// The kernel that clang calls `symbol` in the code that this compiler made of the same source, and
// the one kernel of an unqualified name. Both throw std::runtime_error.
std::string original_kernel(const std::vector<std::byte>& code, const std::string& symbol);
std::string candidate_kernel(const std::vector<std::byte>& code, const std::string& name);
std::optional<replay::Refusal> check_sides(const replay::Side& original, const std::string& symbol,
                                           const replay::Side& candidate, const std::string& name);

}  // namespace geak::worker
