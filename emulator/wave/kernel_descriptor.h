// The kernel descriptor of the code object, read. Source of the layout: LLVM's AMDGPUUsage.
#pragma once

#include <cstddef>
#include <cstdint>

#include "emulator/model/device.h"

namespace geak::emulator {

struct KernelDescriptor {
  std::uint32_t group_segment_bytes = 0;
  std::uint32_t private_segment_bytes = 0;
  std::uint32_t kernarg_bytes = 0;
  std::uint32_t vgprs = 0;         // allocated a lane, accumulation registers included
  std::uint32_t sgprs = 0;         // allocated a wave
  std::uint32_t accum_offset = 0;  // row of a0
  std::uint32_t mode = 0;          // initial MODE register
  unsigned user_sgprs = 0;         // system SGPRs follow
  unsigned work_item_id = 0;       // 0: X, 1: X and Y, 2: X, Y and Z
  bool workgroup_id[3] = {};
  bool workgroup_info = false;
  bool private_segment = false;  // scratch wave offset (gfx90a), preloaded FLAT_SCRATCH (gfx942)
  // User SGPRs, in this order.
  bool private_segment_buffer = false;
  bool dispatch_ptr = false;
  bool queue_ptr = false;
  bool kernarg_ptr = false;
  bool dispatch_id = false;
  bool flat_scratch_init = false;
  bool private_segment_size = false;
  unsigned preload_dwords = 0;  // of the kernarg segment, into SGPRs
  unsigned preload_offset = 0;  // in dwords

  // `bytes`: the 64 bytes of the descriptor.
  static KernelDescriptor read(Arch arch, const std::byte* bytes);
};

}  // namespace geak::emulator
