#include "emulator/wave/global_wave_sync.h"

#include <algorithm>

namespace geak::emulator {

void GlobalWaveSync::initialize(unsigned resource, std::uint32_t waves) {
  const std::lock_guard lock(mutex_);
  Resource& r = resources_[resource];
  r.total = std::max(waves, 1u);
  r.arrived = 0;
  r.semaphore = waves;
}

bool GlobalWaveSync::arrive(unsigned resource, std::uint64_t& generation) {
  const std::lock_guard lock(mutex_);
  Resource& r = resources_[resource];
  generation = r.generation;
  if (++r.arrived < r.total) return false;
  r.arrived = 0;
  ++r.generation;
  return true;
}

bool GlobalWaveSync::passed(unsigned resource, std::uint64_t generation) {
  const std::lock_guard lock(mutex_);
  return resources_[resource].generation != generation;
}

void GlobalWaveSync::release(unsigned resource, std::uint32_t count) {
  const std::lock_guard lock(mutex_);
  resources_[resource].semaphore += count;
}

void GlobalWaveSync::release_all(unsigned resource) {
  const std::lock_guard lock(mutex_);
  Resource& r = resources_[resource];
  r.semaphore = std::max<std::int64_t>(r.semaphore, 0) + static_cast<std::int64_t>(r.waiters);
}

bool GlobalWaveSync::acquire(unsigned resource, bool& waiting) {
  const std::lock_guard lock(mutex_);
  Resource& r = resources_[resource];
  if (r.semaphore <= 0) {
    if (!waiting) ++r.waiters;
    waiting = true;
    return false;
  }
  --r.semaphore;
  if (waiting && r.waiters > 0) --r.waiters;
  waiting = false;
  return true;
}

}  // namespace geak::emulator
