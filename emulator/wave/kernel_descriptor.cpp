#include "emulator/wave/kernel_descriptor.h"

#include <cstring>

namespace geak::emulator {
namespace {

template <typename T>
T field(const std::byte* bytes, unsigned offset) {
  T value;
  std::memcpy(&value, bytes + offset, sizeof value);
  return value;
}

constexpr std::uint32_t bits(std::uint32_t word, unsigned high, unsigned low) {
  return (word >> low) & ((1u << (high - low + 1)) - 1);
}

}  // namespace

KernelDescriptor KernelDescriptor::read(Arch, const std::byte* bytes) {
  KernelDescriptor d;
  d.group_segment_bytes = field<std::uint32_t>(bytes, 0);
  d.private_segment_bytes = field<std::uint32_t>(bytes, 4);
  d.kernarg_bytes = field<std::uint32_t>(bytes, 8);
  const auto rsrc3 = field<std::uint32_t>(bytes, 44);
  const auto rsrc1 = field<std::uint32_t>(bytes, 48);
  const auto rsrc2 = field<std::uint32_t>(bytes, 52);
  const auto properties = field<std::uint16_t>(bytes, 56);
  const auto preload = field<std::uint16_t>(bytes, 58);

  // Granules of gfx90a and gfx942: 8 VGPRs; 16 SGPRs, counted in halves of a granule.
  d.vgprs = (bits(rsrc1, 5, 0) + 1) * 8;
  d.sgprs = (bits(rsrc1, 9, 6) / 2 + 1) * 16;
  d.accum_offset = (bits(rsrc3, 5, 0) + 1) * 4;
  // MODE: rounding 3:0, denormals 7:4, DX10_CLAMP 8, IEEE 9, FP16_OVFL 23.
  d.mode = bits(rsrc1, 19, 12) | bits(rsrc1, 21, 21) << 8 | bits(rsrc1, 23, 23) << 9 |
           bits(rsrc1, 26, 26) << 23;
  d.private_segment = bits(rsrc2, 0, 0);
  d.user_sgprs = bits(rsrc2, 5, 1);
  for (unsigned n = 0; n < 3; ++n) d.workgroup_id[n] = bits(rsrc2, 7 + n, 7 + n);
  d.workgroup_info = bits(rsrc2, 10, 10);
  d.work_item_id = bits(rsrc2, 12, 11);

  d.private_segment_buffer = bits(properties, 0, 0);
  d.dispatch_ptr = bits(properties, 1, 1);
  d.queue_ptr = bits(properties, 2, 2);
  d.kernarg_ptr = bits(properties, 3, 3);
  d.dispatch_id = bits(properties, 4, 4);
  d.flat_scratch_init = bits(properties, 5, 5);
  d.private_segment_size = bits(properties, 6, 6);
  d.preload_dwords = bits(preload, 6, 0);
  d.preload_offset = bits(preload, 15, 7);
  return d;
}

}  // namespace geak::emulator
