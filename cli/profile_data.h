// What `geak profile` reads of a program's dispatches, and what it derives from the counts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace geak::cli {

// One dispatch: a line of GEAK_EMU_COUNTERS (docs/schemas.md).
using LaunchCounters = nlohmann::json;

// Derived from the counters of a launch, or from the sums of several.
struct ProfileMetrics {
  double active_lanes = 0;  // share of the lanes of vector instructions; 0 without any
  double read_lines = 0;    // distinct 64-byte lines a reading instruction touches, mean
  double write_lines = 0;   // the same of writing ones
  double atomic_lines = 0;
  double read_use = 0;  // bytes asked for, as a share of the lines' bytes (above 1: shared)
  double write_use = 0;
  double l1_hits = 0;        // share of 64-byte read requests (modelled)
  double lds_conflicts = 0;  // share of the LDS' busy cycles that bank conflicts add
  double barrier_wait = 0;   // instructions that waves were ahead at barriers, as a share of all
  double instructions_per_ns = 0;
  double instructions_per_byte = 0;  // of memory traffic (modelled); 0 without traffic
};

struct KernelProfile {
  std::string kernel;  // mangled
  std::string name;    // as people write it
  std::string bound;   // what limits the launches that take most of the time
  double modelled_ns = 0;
  double share = 0;                      // of the time of all kernels
  LaunchCounters sums;                   // counts added over the launches; resources of the first
  std::vector<LaunchCounters> launches;  // in the order in which they ended
  ProfileMetrics metrics;
};

struct Profile {
  std::string device;  // "MI210"
  std::string arch;    // "gfx90a"
  double modelled_ns = 0;
  std::vector<KernelProfile> kernels;  // the longest first
  std::string evidence() const { return "modelled(" + arch + ")"; }
};

// Launches of the HIP runtime's own kernels (copies, fills) are left out unless `with_runtime`.
// Throws std::runtime_error for a line that is not a dispatch's, naming it.
Profile read_profile(const std::filesystem::path& counters, bool with_runtime);

ProfileMetrics metrics_of(const LaunchCounters& counters);

// docs/schemas.md, "geak profile --json".
nlohmann::ordered_json to_json(const Profile& profile, const std::vector<std::string>& command,
                               int exit_code);
// For a terminal; `each_launch` adds a line for each.
std::string to_text(const Profile& profile, bool each_launch);
// A page that needs no other file.
std::string to_html(const Profile& profile, const std::vector<std::string>& command);

// "12.3 us", "1.20 ms"; "1.5 MB".
std::string time_text(double ns);
std::string bytes_text(double bytes);

}  // namespace geak::cli
