// The addresses that the lanes of a flat, global, scratch or buffer instruction name.
#pragma once

#include <cstdint>

#include "emulator/isa/instruction.h"
#include "emulator/isa/memory/lane_access.h"
#include "emulator/isa/memory/lane_addresses.h"
#include "emulator/isa/program.h"
#include "emulator/wave/workgroup.h"

namespace geak::emulator {

inline constexpr unsigned kFlatScratch = 102;

// A 64-bit register pair, or a scalar base plus a 32-bit register, plus the instruction's offset.
inline void global_addresses(const Wave& w, const Instruction* i, LaneAddresses& out) {
  const Lanes* rows = &w.row(i->src[0]);
  const auto offset = static_cast<std::uint64_t>(std::int64_t{i->imm});
  if (i->src[2] == kNoOperand)
    add_lane_addresses(rows[0], rows[1], offset, out.of);
  else
    add_lane_addresses(rows[0], nullptr, w.scalar64(i->src[2]) + offset, out.of);
}

// Whether a scratch instruction uses its vector register: gfx90a does whenever there is no scalar
// one, gfx942 says so by a bit.
inline bool scratch_uses_vector(Arch arch, const Instruction& i) {
  return arch == Arch::gfx942 ? (i.memory & kSve) != 0 : i.src[2] == kNoOperand;
}

// Private segments: offset from a register, a scalar register, both (gfx942) or neither.
inline void scratch_offsets(const Wave& w, const Instruction* i, std::uint32_t (&out)[kLanes]) {
  std::uint32_t base = static_cast<std::uint32_t>(i->imm);
  if (i->src[2] != kNoOperand) base += w.sgpr[i->src[2]];
  const bool vector_offset = scratch_uses_vector(w.program->arch(), *i);
  const Lanes& row = w.row(i->src[0]);
  for (unsigned lane = 0; lane < kLanes; ++lane) out[lane] = base + (vector_offset ? row[lane] : 0);
}

// Offset in the wave's interleaved scratch of a byte of a lane's private segment.
constexpr std::uint64_t interleaved(std::uint64_t offset, unsigned lane) {
  return offset / 4 * (4 * kLanes) + lane * 4 + offset % 4;
}

struct BufferPlace {
  std::uint64_t index, offset;
};

// The fields of a GFX9 buffer descriptor (CDNA ISA manuals, "Buffer Resource Descriptor").
struct BufferDescriptor {
  std::uint64_t base;
  std::uint64_t stride;
  std::uint64_t records;  // bytes, or elements of `stride` bytes when swizzled
  bool swizzled;
  bool add_lane;
  unsigned index_stride;

  BufferDescriptor(const Wave& w, const Instruction* i) {
    const std::uint32_t* words = &w.sgpr[i->src[2]];
    base = words[0] | std::uint64_t{words[1] & 0xffff} << 32;
    swizzled = words[1] >> 31;
    records = words[2];
    add_lane = words[3] >> 23 & 1;
    index_stride = 8u << (words[3] >> 21 & 3);
    stride = words[1] >> 16 & 0x3fff;
    // With the lane's number in the index, the data format holds the stride's upper bits.
    if (add_lane) stride |= std::uint64_t{words[3] >> 15 & 0xf} << 14;
  }

  BufferPlace place_of(const Wave& w, const Instruction* i, unsigned lane) const {
    const Lanes* rows = &w.row(i->src[0]);
    BufferPlace place{add_lane ? lane : 0, static_cast<std::uint32_t>(i->imm)};
    if (i->memory & kIdxen) place.index += rows[0][lane];
    if (i->memory & kOffen) place.offset += rows[i->memory & kIdxen ? 1 : 0][lane];
    return place;
  }
  bool in_range(BufferPlace place, std::uint64_t scalar_offset, unsigned bytes) const {
    if (swizzled && stride) return place.index < records;
    return place.index * stride + place.offset + scalar_offset + bytes <= records;
  }
  std::uint64_t address(BufferPlace place, std::uint64_t scalar_offset) const {
    return base + scalar_offset +
           (swizzled ? swizzled_offset(place) : place.index * stride + place.offset);
  }
  // Whether it is the wave's own scratch, as a kernel of gfx90a gets it.
  bool is_private_segment(const WaveSlot& wave) const {
    const auto begin = reinterpret_cast<std::uint64_t>(wave.scratch);
    return swizzled && add_lane && index_stride == kLanes && stride == 0 && wave.scratch &&
           base >= begin && base < begin + wave.scratch_bytes;
  }

 private:
  // Elements of 4 bytes of `index_stride` lanes are interleaved.
  std::uint64_t swizzled_offset(BufferPlace p) const {
    const std::uint64_t block = p.index / index_stride, within = p.index % index_stride;
    return (block * stride + p.offset / 4 * 4) * index_stride + within * 4 + p.offset % 4;
  }
};

}  // namespace geak::emulator
