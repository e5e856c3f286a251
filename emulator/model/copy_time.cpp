#include "emulator/model/copy_time.h"

#include <algorithm>

namespace geak::emulator {
namespace {

// Published peak of the memory: two transfers a clock over the whole bus.
double memory_gb_per_s(const DeviceDescription& device) {
  return 2.0 * device.memory_mhz * 1e6 * (device.memory_bus_bits / 8.0) / 1e9;
}

}  // namespace

double copy_time_ns(const DeviceDescription* to, const DeviceDescription* from, bool same,
                    std::uint64_t bytes) {
  const auto* device = to ? to : from;
  if (!device) return 0;  // between host buffers: no device is busy
  // Within one memory each byte is read and written.
  double rate = memory_gb_per_s(*device) / 2;
  if (to && from) {
    if (!same) rate = std::min(rate, device->peer_link_gb_per_s);
  } else if (device->host_link_gb_per_s > 0) {
    rate = std::min(rate, device->host_link_gb_per_s);
  }
  return static_cast<double>(bytes) / rate;  // GB/s are bytes a nanosecond
}

}  // namespace geak::emulator
