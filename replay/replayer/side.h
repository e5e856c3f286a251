// One of the two contestants, ready to be launched.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "replay/code_object/kernel_metadata.h"
#include "replay/replayer/arena.h"
#include "replay/replayer/counters_file.h"
#include "support/launch_change.h"

namespace geak::replay {

struct Outcome {
  Image after;              // in recorded addresses
  std::string zone_damage;  // empty: none
  double ns = 0;
  nlohmann::json counters;  // of the emulator; null on a real device
  std::string kept_state;   // where it left something for a later launch; empty: nowhere
};

// Launches that follow each other, which differ in one argument: its values. None: one launch with
// the arguments as recorded.
struct Passes {
  std::uint32_t offset = 0, bytes = 0;  // of the argument in the kernarg bytes
  std::vector<std::int64_t> values;
};

class Side {
 public:
  // Throws std::runtime_error where the code can't be loaded or lacks the kernel. `counters`: null
  // where no emulator counts.
  Side(Device& device, std::vector<std::byte> code, const std::string& kernel,
       CountersFile* counters);

  // Launches on memory at fresh addresses. Throws DeviceFault. Of several passes the time and the
  // counters are sums.
  Outcome run(const LaunchRecord& record, const support::Launch& launch, bool partial_groups,
              const Image& input, std::chrono::milliseconds limit, const Passes& passes = {});

  // What later launches find around their buffers: other zones each time. SurroundingsScope
  // chooses one.
  void choose_surroundings(bool zones) { zones_ = zones; }

  // Outcomes hold times and counters alone: what a launch leaves is not read.
  void only_time() { times_alone_ = true; }

  const KernelMetadata& metadata() const { return kernel_->metadata(); }
  const std::vector<std::byte>& code() const { return code_; }
  LoadedKernel& kernel() { return *kernel_; }

 private:
  friend class SurroundingsScope;

  std::vector<std::vector<std::byte>> read_constants() const;
  unsigned next_style();

  Device& device_;
  std::vector<std::byte> code_;
  std::unique_ptr<LoadedKernel> kernel_;
  CountersFile* counters_;
  bool zones_ = true, times_alone_ = false;
  std::optional<unsigned> style_;
  std::mt19937 random_{0x5eed};
  std::vector<unsigned> styles_;                   // those still to come of this round
  std::vector<std::vector<std::byte>> constants_;  // as they were loaded
  std::shared_ptr<Arena> previous_;  // kept, so that the next launch has other addresses
};

// Chosen surroundings for as long as this lives; then those of before.
class SurroundingsScope {
 public:
  SurroundingsScope(Side& side, bool zones, unsigned style)
      : side_(side), zones_(side.zones_), style_(side.style_) {
    side_.zones_ = zones;
    side_.style_ = style;
  }
  ~SurroundingsScope() {
    side_.zones_ = zones_;
    side_.style_ = style_;
  }
  SurroundingsScope(const SurroundingsScope&) = delete;
  SurroundingsScope& operator=(const SurroundingsScope&) = delete;

 private:
  Side& side_;
  const bool zones_;
  const std::optional<unsigned> style_;
};

// How a launch of the record runs: with the recorded grid in work-items where groups are partial.
KernelRun run_of(const LaunchRecord& record, const support::Launch& launch, bool partial_groups,
                 const Bases& bases, std::chrono::milliseconds limit);

// The same once for each pass; all but the first find the caches as the pass before left them.
std::vector<KernelRun> passes_of(const KernelRun& run, const Passes& passes);

// A recorded launch in workgroups, as launch changes count.
support::Launch launch_of(const LaunchRecord& record);
bool has_partial_groups(const LaunchRecord& record);

}  // namespace geak::replay
