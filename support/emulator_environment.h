// The environment under which a program runs on the emulated GPU.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/install_paths.h"

namespace geak::support {

struct EmulatorSettings {
  std::string arch;           // "gfx90a", "gfx942"; empty: the device's, else gfx90a
  std::string device;         // "MI210", ...; empty: the default of the arch
  unsigned devices = 0;       // GPUs; 0: one
  unsigned threads = 0;       // host threads that execute waves; 0: one a core
  std::string counters_file;  // one JSON line a dispatch is appended; empty: none
  std::string checks;         // names of checks, comma separated (geak check); empty: none
  std::string check_file;     // where the emulator writes what they find; %p: the process id
  // The program uses the HIP runtime, not HSA alone. It then gets a preloaded library that presents
  // its device code as what Debian's runtime can read. With checks it gets one that watches what it
  // allocates and frees.
  bool hip_program = false;
};

// Variables to set (or, without a value, to remove) in a child process. The emulator's folder comes
// first in LD_LIBRARY_PATH, before what the caller's environment has there.
// LD_PRELOAD, where it is set, keeps what the caller's environment has there.
// Throws std::runtime_error when a library of the emulator isn't where `paths` says.
std::vector<std::pair<std::string, std::optional<std::string>>> emulator_environment(
    const InstallPaths& paths, const EmulatorSettings& settings);

}  // namespace geak::support
