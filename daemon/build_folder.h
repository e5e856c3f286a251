// A build folder with marked targets, as the CMake module left it on disk.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "llvm/Support/Error.h"

namespace geak::daemon {

struct MarkedTarget {
  std::string name;
  std::vector<std::string> sources;  // absolute paths
};

struct BuildFolder {
  std::string path;  // absolute
  std::vector<MarkedTarget> targets;

  // Reads `<path>/geak/targets/*.json`. An unreadable manifest is an error that names the file: a
  // target silently left out would look like a kernel with nothing to gain.
  static llvm::Expected<BuildFolder> read(const std::string& path);

  // Name of the target whose sources include `file` (absolute path).
  std::optional<std::string> target_of(const std::string& file) const;
};

// Build folders below a workspace: the folder itself, its `build*` and `out/*` children (where
// CMake presets put them), and whatever `compile_commands.json` links to.
std::vector<std::string> find_build_folders(const std::string& workspace);

}  // namespace geak::daemon
