#include "emulator/model/counters.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace geak::emulator {

namespace {

// What is summed over workers, besides what holds several counts itself.
constexpr std::uint64_t TrafficCounters::*kOfTraffic[] = {
    &TrafficCounters::instructions, &TrafficCounters::lanes, &TrafficCounters::bytes,
    &TrafficCounters::lines64, &TrafficCounters::lines128};
constexpr TrafficCounters MemoryCounters::*kDirections[] = {
    &MemoryCounters::read, &MemoryCounters::write, &MemoryCounters::atomic};
constexpr std::uint64_t MemoryCounters::*kOfMemory[] = {&MemoryCounters::scratch_instructions,
                                                        &MemoryCounters::scratch_bytes,
                                                        &MemoryCounters::scalar_bytes,
                                                        &MemoryCounters::scalar_lines64,
                                                        &MemoryCounters::lds_instructions,
                                                        &MemoryCounters::lds_bytes,
                                                        &MemoryCounters::lds_cycles,
                                                        &MemoryCounters::lds_conflict_cycles,
                                                        &MemoryCounters::matrix_cycles,
                                                        &MemoryCounters::vector_waits,
                                                        &MemoryCounters::lds_waits,
                                                        &MemoryCounters::scalar_waits,
                                                        &MemoryCounters::l1_hits,
                                                        &MemoryCounters::l1_misses,
                                                        &MemoryCounters::l2_first_lines,
                                                        &MemoryCounters::vector_stall_cycles,
                                                        &MemoryCounters::lds_stall_cycles,
                                                        &MemoryCounters::scalar_stall_cycles,
                                                        &MemoryCounters::idle_cycles};
constexpr std::uint64_t Counters::*kOfDispatch[] = {
    &Counters::barriers, &Counters::barrier_wait_instructions, &Counters::barrier_stall_cycles,
    &Counters::waves, &Counters::workgroups};

void scale_count(std::uint64_t& count, double factor) {
  count = static_cast<std::uint64_t>(std::llround(static_cast<double>(count) * factor));
}

}  // namespace

void TrafficCounters::operator+=(const TrafficCounters& other) {
  for (const auto count : kOfTraffic) this->*count += other.*count;
}

void MemoryCounters::operator+=(const MemoryCounters& other) {
  for (const auto direction : kDirections) this->*direction += other.*direction;
  for (const auto count : kOfMemory) this->*count += other.*count;
  for (unsigned n = 0; n < LostLines::kCounts; ++n) l2_lost.after[n] += other.l2_lost.after[n];
  l2_lost.forgotten += other.l2_lost.forgotten;
}

void MemoryCounters::scale(double factor) {
  for (const auto direction : kDirections)
    for (const auto count : kOfTraffic) scale_count((this->*direction).*count, factor);
  for (const auto count : kOfMemory) scale_count(this->*count, factor);
  for (auto& count : l2_lost.after) scale_count(count, factor);
  scale_count(l2_lost.forgotten, factor);
}

std::uint64_t LostLines::all() const {
  return std::accumulate(after.begin(), after.end(), forgotten);
}

double LostLines::beyond(double share) const {
  double lost = 0;
  for (unsigned n = 1; n < kCounts; ++n) {
    // Numbers of n bits, taken to be as many in each octave's parts.
    const double above = std::clamp(n - std::log2(std::max(share, 1.0)), 0.0, 1.0);
    lost += above * static_cast<double>(after[n]);
  }
  return lost;
}

std::string_view to_string(OccupancyLimit limit) {
  switch (limit) {
    case OccupancyLimit::waves:
      return "waves";
    case OccupancyLimit::vgprs:
      return "vgprs";
    case OccupancyLimit::sgprs:
      return "sgprs";
    case OccupancyLimit::lds:
      return "lds";
    case OccupancyLimit::workgroup:
      return "workgroup";
    case OccupancyLimit::grid:
      return "grid";
  }
  return "";
}

std::uint64_t Counters::instructions() const {
  return std::accumulate(executed.begin(), executed.end(), std::uint64_t{0});
}

void Counters::operator+=(const Counters& other) {
  for (unsigned n = 0; n < kInstructionClasses; ++n) {
    executed[n] += other.executed[n];
    active_lanes[n] += other.active_lanes[n];
  }
  memory += other.memory;
  for (const auto count : kOfDispatch) this->*count += other.*count;
  longest_wave_cycles = std::max(longest_wave_cycles, other.longest_wave_cycles);
}

void Counters::scale(double factor) {
  for (unsigned n = 0; n < kInstructionClasses; ++n) {
    scale_count(executed[n], factor);
    scale_count(active_lanes[n], factor);
  }
  memory.scale(factor);
  for (const auto count : kOfDispatch) scale_count(this->*count, factor);
}

}  // namespace geak::emulator
