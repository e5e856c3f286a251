// The global wave sync unit: barriers and semaphores over all workgroups of a dispatch (ds_gws_*).
// One a device; its state outlives a dispatch.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>

namespace geak::emulator {

class GlobalWaveSync {
 public:
  static constexpr unsigned kResources = 64;

  // ds_gws_init: the barrier is passed when `waves` waves have arrived; a semaphore starts at that
  // count.
  void initialize(unsigned resource, std::uint32_t waves);
  // A wave arrives for the first time. True: it may go on at once (it was the last). Otherwise
  // `generation` says what to ask passed() for.
  bool arrive(unsigned resource, std::uint64_t& generation);
  bool passed(unsigned resource, std::uint64_t generation);

  void release(unsigned resource, std::uint32_t count);  // ds_gws_sema_v, _sema_br
  void release_all(unsigned resource);                   // ds_gws_sema_release_all
  // ds_gws_sema_p; false: must wait. `waiting`: whether this wave waited before, and whether it
  // does now.
  bool acquire(unsigned resource, bool& waiting);

 private:
  struct Resource {
    std::uint32_t total = 1;
    std::uint32_t arrived = 0;
    std::uint64_t generation = 0;
    std::int64_t semaphore = 0;
    std::uint64_t waiters = 0;
  };
  std::mutex mutex_;
  std::array<Resource, kResources> resources_{};
};

}  // namespace geak::emulator
