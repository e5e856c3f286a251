// Recording what the user's workload launches, from the unswapped twin.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "support/manifest.h"

namespace geak::optimizer {

// Where programs run: on a GPU of this machine, or on the emulated one.
struct Device {
  bool emulated = true;
  std::string architecture;  // "gfx90a"
  std::string name;          // "AMD Instinct MI210"; empty where emulated
};

// A GPU that the HSA runtime can open is used, unless GEAK_EMULATE=1 asks for the emulated one.
bool has_gpu();

// This machine's device for code of the architecture: a GPU by its own name, or the emulated one.
// Throws std::runtime_error where there are GPUs, but none for such code.
Device device_for(const std::string& architecture);

struct Recording {
  std::filesystem::path archive;
  bool reused = false;  // program and arguments are those of the last recording
};

// Records into `<build>/geak/records/<name>.geakrec`. `manifest` is the build's own; the workload
// is that of the twin's manifest. Throws std::runtime_error that says what to do: no workload, the
// twin is not built, the workload fails (with its last lines), recording fails.
Recording record_workload(const support::Manifest& manifest, const std::string& name,
                          const Device& device,
                          const std::function<void(const std::string&)>& progress);

}  // namespace geak::optimizer
