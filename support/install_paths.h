// Where geak's own files are, found from the running program, never from a configured path.
#pragma once

#include <filesystem>

namespace geak::support {

// The build tree and an installation have the same shape (bin/, lib/geak/), so one relative path
// serves both and an installation can be moved.
struct InstallPaths {
  std::filesystem::path bin;               // geak, geakd, geak-cc, geak-replay
  std::filesystem::path emulator_library;  // folder that holds libhsa-runtime64.so.1
  std::filesystem::path recorder_library;  // libgeak-record.so, to be preloaded
  std::filesystem::path hip5_library;      // libgeak-hip5.so, to be preloaded
  std::filesystem::path check_library;     // libgeak-check.so, to be preloaded

  // Throws std::runtime_error when the running executable's path can't be read.
  static InstallPaths of_this_program();
};

}  // namespace geak::support
