// The devices that can be emulated: what the HSA API reports of each, and what the model of time
// builds on.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace geak::emulator {

enum class Arch { gfx90a, gfx942 };

std::string_view to_string(Arch arch);

// One GPU as HSA sees it: an MI250X package is two of these. Sizes in bytes, clocks in MHz.
struct DeviceDescription {
  std::string_view name;            // "MI210": what GEAK_EMU_DEVICE and --device say
  std::string_view marketing_name;  // what hipGetDeviceProperties shows
  Arch arch;
  std::uint32_t chip_id;  // PCI device id
  std::uint32_t compute_units;
  std::uint32_t dies;  // with an L2 each: 1, or the XCDs of CDNA 3
  std::uint32_t simds_per_cu;
  std::uint32_t shader_engines;  // over all dies
  std::uint32_t max_waves_per_simd;
  std::uint32_t engine_mhz;
  std::uint32_t memory_mhz;
  std::uint32_t memory_bus_bits;
  std::uint64_t memory_bytes;
  std::uint32_t lds_bytes;             // per compute unit and per workgroup
  std::uint32_t l1_bytes;              // vector data cache of one compute unit
  std::uint32_t l2_bytes;              // of one die
  std::uint64_t infinity_cache_bytes;  // 0: none
  double host_link_gb_per_s;           // one direction; 0: the host's memory is the device's
  double peer_link_gb_per_s;           // to another GPU of the node, one direction
};

std::span<const DeviceDescription> all_devices();

// Both return nullptr when there is none. Names are compared without regard to case.
const DeviceDescription* find_device(std::string_view name);
const DeviceDescription* default_device(Arch arch);

}  // namespace geak::emulator
