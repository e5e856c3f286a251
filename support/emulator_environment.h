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
};

// Variables to set (or, without a value, to remove) in a child process. The emulator's folder comes
// first in LD_LIBRARY_PATH, before what the caller's environment has there.
// Throws std::runtime_error when the emulator's library isn't where `paths` says.
std::vector<std::pair<std::string, std::optional<std::string>>> emulator_environment(
    const InstallPaths& paths, const EmulatorSettings& settings);

}  // namespace geak::support
