// What CMake wrote about one target that calls geak_optimize(): docs/build_files.md, "Manifest".
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace geak::support {

struct ManifestSource {
  std::filesystem::path path;
  std::string language;  // "HIP" or "CXX"
  std::filesystem::path selection;
};

struct Manifest {
  std::filesystem::path file;  // where this was read from
  std::string target;
  std::filesystem::path build, source_dir;
  std::vector<std::string> kernels;   // globs over qualified names
  std::vector<std::string> workload;  // argument list; empty: nothing to record
  std::filesystem::path workload_directory;
  std::vector<std::string> architectures;  // empty: those of the compile command
  std::optional<double> tolerance;
  std::vector<ManifestSource> sources;
  std::filesystem::path swap_directory, cache_stamp;
  std::filesystem::path original;  // build folder of the twin; empty in the twin itself
};

// Throws std::runtime_error that names the file and what is wrong with it.
Manifest read_manifest(const std::filesystem::path& file);

// All manifests of a build folder, ordered by target. Throws std::runtime_error when `build` is no
// folder or a manifest can't be read; a build without geak_optimize() has none.
std::vector<Manifest> manifests_of_build(const std::filesystem::path& build);

}  // namespace geak::support
