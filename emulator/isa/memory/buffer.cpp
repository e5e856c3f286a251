// MUBUF instructions: memory through a buffer descriptor in four SGPRs. Private segments of gfx90a
// are such buffers.
#include <algorithm>
#include <cstring>
#include <string>

#include "emulator/isa/constants.h"
#include "emulator/isa/interpreter.h"
#include "emulator/isa/memory/addresses.h"
#include "emulator/isa/memory/element_names.h"
#include "emulator/isa/memory/lane_access.h"
#include "emulator/isa/operation.h"

namespace geak::emulator {
namespace {

constexpr auto kClass = InstructionClass::buffer;

struct Offsets {
  alignas(64) std::uint32_t of[kLanes];
};

// Reads of lanes beyond the buffer see zeros, writes are dropped, atomics give 0.
struct OutOfRange {
  alignas(64) std::byte bytes[16] = {};
};

// Pointers to the lanes' elements; lanes beyond the buffer point to `outside` unless they store.
bool resolve(Wave& w, const Instruction* i, unsigned bytes, Direction direction, LaneAccess& access,
             OutOfRange& outside) {
  const BufferDescriptor d(w, i);
  const std::uint64_t mask = w.exec(), scalar_offset = scalar_u32(w, *i, i->src[3]);
  if (d.is_private_segment(slot_of(w)) && !(i->memory & kIdxen)) {
    Offsets offsets;
    for (unsigned lane = 0; lane < kLanes; ++lane)
      offsets.of[lane] = static_cast<std::uint32_t>(d.place_of(w, i, lane).offset);
    return resolve_scratch(w, i, d.base + scalar_offset, offsets.of, mask, bytes, direction,
                           access);
  }
  LaneAddresses addresses;
  std::uint64_t inside = 0;
  for_lanes(mask, [&](unsigned lane) {
    const BufferPlace place = d.place_of(w, i, lane);
    inside |= std::uint64_t{d.in_range(place, scalar_offset, bytes)} << lane;
    addresses.of[lane] = d.address(place, scalar_offset);
  });
  if (!resolve_global(w, i, addresses, inside, bytes, direction, access)) return false;
  if (direction == Direction::write || inside == mask) return true;
  access.mask = mask;
  for_lanes(mask & ~inside, [&](unsigned lane) { access.at[lane] = outside.bytes; });
  return true;
}

// To LDS instead of registers: at M0 plus the offset plus 4 times the lane.
template <class Element>
const Instruction* load_to_lds(Wave& w, const Instruction* i, const LaneAccess& from) {
  Offsets offsets;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    offsets.of[lane] = (w.sgpr[kM0] & 0xffff) + static_cast<std::uint32_t>(i->imm) + 4 * lane;
  LaneAccess to;
  resolve_lds(w, offsets.of, 0, from.mask, 4, Direction::write, to);
  for_lanes(from.mask, [&](unsigned lane) {
    std::memset(to.at[lane], 0, 4);
    std::memcpy(to.at[lane], from.at[lane], std::min(Element::kBytes, 4u));
  });
  return i + 1;
}

template <class Element>
const Instruction* buffer(Wave& w, const Instruction* i) {
  LaneAccess access;
  OutOfRange outside;
  if (w.exec() == 0) return i + 1;
  if (!resolve(w, i, Element::kBytes, Element::kDirection, access, outside)) return nullptr;
  if (Element::kDirection == Direction::read && (i->memory & kLds)) [[unlikely]]
    return load_to_lds<Element>(w, i, access);
  if (access.mask) Element::apply(w, i, access);
  return i + 1;
}

struct Buffer {
  template <class Element>
  static void add(OperationTable& t, const std::string& name) {
    t.add("buffer_" + name, kClass, buffer<Element>);
  }
};

void refuse_formats(OperationTable& t) {
  for (const std::string prefix : {"buffer_", "tbuffer_"}) {
    for (const std::string direction : {"load", "store"}) {
      for (const std::string half : {"", "d16_"}) {
        for (const std::string parts : {"x", "xy", "xyz", "xyzw"})
          t.refuse(prefix + direction + "_format_" + half + parts, kClass,
                   "typed buffers belong to graphics");
      }
      t.refuse(prefix + direction + "_format_d16_hi_x", kClass, "typed buffers belong to graphics");
    }
  }
  t.refuse("buffer_store_lds_dword", kClass, "stores from LDS by the buffer unit");
}

}  // namespace

void register_buffer(OperationTable& t) {
  register_loads_and_stores<Buffer>(t);
  register_atomics<Buffer>(t);
  refuse_formats(t);
}

}  // namespace geak::emulator
