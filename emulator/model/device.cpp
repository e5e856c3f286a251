#include "emulator/model/device.h"

#include <strings.h>

#include <array>

namespace geak::emulator {
namespace {

constexpr std::uint64_t kGiB = 1ull << 30;
constexpr std::uint32_t kMiB = 1u << 20;
constexpr std::uint32_t kKiB = 1u << 10;

// Sources: AMD's data sheets of MI210, MI250X, MI300A and MI300X (compute units, clocks, memory,
// bus), the CDNA 2 and CDNA 3 white papers (LDS, L1, L2 and Infinity Cache), and the PCI id list.
// Links: PCIe 4.0 x16 (MI210) and 5.0 x16 (MI300X) at their raw rate; Infinity Fabric to the host
// of MI250X (36 GB/s a die); Infinity Fabric between GPUs as the data sheets give it for one
// direction.
constexpr std::array<DeviceDescription, 4> kDevices{{
    {.name = "MI210",
     .marketing_name = "AMD Instinct MI210 (emulated by geak)",
     .arch = Arch::gfx90a,
     .chip_id = 0x740f,
     .compute_units = 104,
     .dies = 1,
     .simds_per_cu = 4,
     .shader_engines = 8,
     .max_waves_per_simd = 8,
     .engine_mhz = 1700,
     .memory_mhz = 1600,
     .memory_bus_bits = 4096,
     .memory_bytes = 64 * kGiB,
     .lds_bytes = 64 * kKiB,
     .l1_bytes = 16 * kKiB,
     .l2_bytes = 8 * kMiB,
     .infinity_cache_bytes = 0,
     .host_link_gb_per_s = 31.5,
     .peer_link_gb_per_s = 100},
    {.name = "MI250X",
     .marketing_name = "AMD Instinct MI250X (emulated by geak)",
     .arch = Arch::gfx90a,
     .chip_id = 0x7408,
     .compute_units = 110,
     .dies = 1,
     .simds_per_cu = 4,
     .shader_engines = 8,
     .max_waves_per_simd = 8,
     .engine_mhz = 1700,
     .memory_mhz = 1600,
     .memory_bus_bits = 4096,
     .memory_bytes = 64 * kGiB,
     .lds_bytes = 64 * kKiB,
     .l1_bytes = 16 * kKiB,
     .l2_bytes = 8 * kMiB,
     .infinity_cache_bytes = 0,
     .host_link_gb_per_s = 36,
     .peer_link_gb_per_s = 200},
    {.name = "MI300A",
     .marketing_name = "AMD Instinct MI300A (emulated by geak)",
     .arch = Arch::gfx942,
     .chip_id = 0x74a0,
     .compute_units = 228,
     .dies = 6,
     .simds_per_cu = 4,
     .shader_engines = 24,
     .max_waves_per_simd = 8,
     .engine_mhz = 2100,
     .memory_mhz = 2600,
     .memory_bus_bits = 8192,
     .memory_bytes = 128 * kGiB,
     .lds_bytes = 64 * kKiB,
     .l1_bytes = 32 * kKiB,
     .l2_bytes = 4 * kMiB,
     .infinity_cache_bytes = 256ull * kMiB,
     .host_link_gb_per_s = 0,
     .peer_link_gb_per_s = 128},
    {.name = "MI300X",
     .marketing_name = "AMD Instinct MI300X (emulated by geak)",
     .arch = Arch::gfx942,
     .chip_id = 0x74a1,
     .compute_units = 304,
     .dies = 8,
     .simds_per_cu = 4,
     .shader_engines = 32,
     .max_waves_per_simd = 8,
     .engine_mhz = 2100,
     .memory_mhz = 2600,
     .memory_bus_bits = 8192,
     .memory_bytes = 192 * kGiB,
     .lds_bytes = 64 * kKiB,
     .l1_bytes = 32 * kKiB,
     .l2_bytes = 4 * kMiB,
     .infinity_cache_bytes = 256ull * kMiB,
     .host_link_gb_per_s = 63,
     .peer_link_gb_per_s = 64},
}};

}  // namespace

std::string_view to_string(Arch arch) { return arch == Arch::gfx90a ? "gfx90a" : "gfx942"; }

std::span<const DeviceDescription> all_devices() { return kDevices; }

const DeviceDescription* find_device(std::string_view name) {
  for (const auto& device : kDevices) {
    if (device.name.size() == name.size() &&
        strncasecmp(device.name.data(), name.data(), name.size()) == 0) {
      return &device;
    }
  }
  return nullptr;
}

const DeviceDescription* default_device(Arch arch) {
  return find_device(arch == Arch::gfx90a ? "MI210" : "MI300X");
}

}  // namespace geak::emulator
