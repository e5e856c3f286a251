#include "replay/replayer/side.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace geak::replay {
support::Launch launch_of(const LaunchRecord& record) {
  support::Launch launch;
  for (int axis = 0; axis < 3; ++axis) {
    launch.block[axis] = record.block[axis];
    launch.grid[axis] = (record.grid[axis] + record.block[axis] - 1) / record.block[axis];
  }
  launch.dynamic_lds = record.dynamic_lds;
  return launch;
}

bool has_partial_groups(const LaunchRecord& record) {
  for (int axis = 0; axis < 3; ++axis) {
    if (record.grid[axis] % record.block[axis]) return true;
  }
  return false;
}

KernelRun run_of(const LaunchRecord& record, const support::Launch& launch, bool partial_groups,
                 const Bases& bases, std::chrono::milliseconds limit) {
  KernelRun run;
  run.block = launch.block;
  for (int axis = 0; axis < 3; ++axis) {
    run.grid[axis] = partial_groups ? record.grid[axis] : launch.grid[axis] * launch.block[axis];
  }
  run.dynamic_lds = launch.dynamic_lds;
  run.cooperative = record.cooperative;
  run.arguments = relocated_kernarg(record, bases);
  run.limit = limit;
  return run;
}

std::vector<KernelRun> passes_of(const KernelRun& run, const Passes& passes) {
  if (passes.values.empty()) return {run};
  std::vector<KernelRun> runs(passes.values.size(), run);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    std::memcpy(runs[i].arguments.data() + passes.offset, &passes.values[i], passes.bytes);
    runs[i].follows_another = i > 0;
  }
  return runs;
}

Side::Side(Device& device, std::vector<std::byte> code, const std::string& kernel,
           CountersFile* counters)
    : device_(device),
      code_(std::move(code)),
      kernel_(device.load(code_, kernel)),
      counters_(counters),
      constants_(read_constants()) {}

std::vector<std::vector<std::byte>> Side::read_constants() const {
  std::vector<std::vector<std::byte>> all;
  for (const auto& [address, bytes] : kernel_->constants()) {
    all.emplace_back(bytes);
    device_.copy(all.back().data(), reinterpret_cast<const void*>(address), bytes);
  }
  return all;
}

// Any kZoneStyles launches in a row meet them all, in an order that cannot be foreseen: by chance
// alone a style could stay away from the few launches that a judgement takes.
unsigned Side::next_style() {
  if (styles_.empty()) {
    styles_.resize(kZoneStyles);
    std::iota(styles_.begin(), styles_.end(), 0u);
    std::ranges::shuffle(styles_, random_);
  }
  const unsigned style = styles_.back();
  styles_.pop_back();
  // What noise there is differs too.
  return static_cast<unsigned>(random_()) / kZoneStyles * kZoneStyles + style;
}

Outcome Side::run(const LaunchRecord& record, const support::Launch& launch, bool partial_groups,
                  const Image& input, std::chrono::milliseconds limit, const Passes& passes) {
  const auto recorded = recorded_bases(record);
  const Surroundings surroundings{zones_, style_ ? *style_ : next_style()};
  auto arena = std::make_shared<Arena>(device_, *kernel_, record, surroundings);
  arena->restore(input, recorded);
  Outcome outcome;
  for (const auto& run :
       passes_of(run_of(record, launch, partial_groups, arena->bases(), limit), passes)) {
    outcome.ns += kernel_->run(run);
    auto counted = counters_ ? counters_->next() : nlohmann::json();
    if (outcome.counters.is_null())
      outcome.counters = std::move(counted);
    else
      replay::accumulate(outcome.counters, counted, 1);
  }
  if (times_alone_) return outcome;
  outcome.after = arena->read(recorded);
  outcome.zone_damage = arena->zone_damage();
  if (read_constants() != constants_) {
    outcome.kept_state = "it changed constants or code of its own code object";
    constants_ = read_constants();
  }
  arena->wipe();
  previous_ = std::move(arena);
  return outcome;
}

}  // namespace geak::replay
