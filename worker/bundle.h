// A bundle: what another machine needs to try candidates there. bundle_format.md has the layout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "support/launch_change.h"

namespace geak::worker {

inline constexpr std::uint32_t kBundleVersion = 1;

// Texts by relative path, '/' between folders. A path names a file below the folder that the
// bundle is unpacked to: reading a bundle refuses all others.
using Files = std::map<std::string, std::string>;

// One translation unit, compiled for a GPU by `nvcc -x cu` or hipcc.
struct Unit {
  std::string main;                   // a path of Bundle::files
  std::vector<std::string> includes;  // folders among them
  std::vector<std::string> options;   // -D, -U, -std=, -O, fast-math; nothing else
};

struct Candidate {
  std::string name;    // of its kernel, "<kernel>__geak_<8 hex>"
  std::string digest;  // the 8 hex
  nlohmann::json recipe;
  std::string text, guard, generator, parent;  // as the cache keeps them
  support::LaunchChange launch;
  Files files;  // these replace files of the unit
};

struct Kernel {
  std::string target, kernel;  // CMake target; name for people, with template arguments
  // As the cache knows it.
  std::string source, symbol, key;
  std::size_t unit = 0;
  std::optional<double> tolerance;
  std::vector<std::string> argument_types;
  std::vector<Candidate> candidates;
};

// How to make records there: a program of some of the units, and ways to run it.
struct Workload {
  struct Run {
    std::string size;  // "published", "larger", ...: a name for people and for results
    std::vector<std::string> arguments;
  };
  std::string target;
  std::vector<std::size_t> units;
  std::vector<std::string> libraries;  // "-lm"
  std::vector<Run> runs;
};

// A .geakrec with the launches of a target, made where the bundle was.
struct Records {
  std::string target, size;
  std::vector<std::byte> archive;
};

struct Bundle {
  std::string geak;  // version that wrote it
  Files files;       // sources of the units, and the header for nvcc below "hip_on_cuda/"
  std::vector<Unit> units;
  std::vector<Kernel> kernels;
  std::vector<Workload> workloads;
  std::vector<Records> records;
};

// Throws std::runtime_error where it cannot be written.
void write_bundle(const Bundle& bundle, const std::filesystem::path& file);
// Throws std::runtime_error naming the file: it is no bundle, of another version, damaged, or names
// files outside of its folder.
Bundle read_bundle(const std::filesystem::path& file);

// Whether a path stays below the folder that it is taken from: relative, no "..", no empty or
// hidden-drive parts, no control characters.
bool is_safe_path(const std::string& path);

// Writes the files below `folder`, which is made. Files of the same text are left alone; nothing is
// written through a link. Throws std::runtime_error.
void unpack(const Files& files, const std::filesystem::path& folder);

}  // namespace geak::worker
