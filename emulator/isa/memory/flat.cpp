// FLAT, global and scratch instructions.
#include <string>

#include "emulator/isa/interpreter.h"
#include "emulator/isa/memory/addresses.h"
#include "emulator/isa/memory/element_names.h"
#include "emulator/isa/memory/lane_access.h"
#include "emulator/isa/operation.h"
#include "emulator/isa/program.h"
#include "emulator/wave/dispatch.h"

namespace geak::emulator {
namespace {

struct Offsets {
  alignas(64) std::uint32_t of[kLanes];
};

template <class Element>
const Instruction* global(Wave& w, const Instruction* i) {
  LaneAddresses addresses;
  LaneAccess access;
  const std::uint64_t mask = w.exec();
  if (mask == 0) return i + 1;
  global_addresses(w, i, addresses);
  access.takes_steps = takes_steps<Element>();
  if (!resolve_global(w, i, addresses, mask, Element::kBytes, Element::kDirection, access))
    return nullptr;
  Element::apply(w, i, access);
  return i + 1;
}

template <class Element>
const Instruction* scratch(Wave& w, const Instruction* i) {
  Offsets offsets;
  LaneAccess access;
  scratch_offsets(w, i, offsets.of);
  if (!resolve_scratch(w, i, w.scalar64(kFlatScratch), offsets.of, w.exec(), Element::kBytes,
                       Element::kDirection, access))
    return nullptr;
  Element::apply(w, i, access);
  return i + 1;
}

// Lanes whose address lies in an aperture: the high half of the address says so.
std::uint64_t lanes_in(const LaneAddresses& addresses, std::uint64_t mask, std::uint32_t aperture) {
  std::uint64_t found = 0;
  for_lanes(mask, [&](unsigned lane) {
    found |= std::uint64_t{addresses.of[lane] >> 32 == aperture} << lane;
  });
  return found;
}

template <class Element>
const Instruction* flat_by_aperture(Wave& w, const Instruction* i, const LaneAddresses& addresses,
                                    std::uint64_t mask) {
  const std::uint64_t shared = lanes_in(addresses, mask, kSharedApertureHigh);
  const std::uint64_t private_ = lanes_in(addresses, mask, kPrivateApertureHigh);
  Offsets offsets;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    offsets.of[lane] = static_cast<std::uint32_t>(addresses.of[lane]);
  // All of them are looked at before any is changed: a faulting instruction has no effect.
  LaneAccess global_access, shared_access, private_access;
  if (!resolve_global(w, i, addresses, mask & ~shared & ~private_, Element::kBytes,
                      Element::kDirection, global_access))
    return nullptr;
  if (!resolve_scratch(w, i, w.scalar64(kFlatScratch), offsets.of, private_, Element::kBytes,
                       Element::kDirection, private_access))
    return nullptr;
  resolve_lds(w, offsets.of, 0, shared, Element::kBytes, Element::kDirection, shared_access);
  for (const LaneAccess* access : {&global_access, &shared_access, &private_access}) {
    if (access->mask) Element::apply(w, i, *access);
  }
  return i + 1;
}

template <class Element>
const Instruction* flat(Wave& w, const Instruction* i) {
  LaneAddresses addresses;
  const std::uint64_t mask = w.exec();
  if (mask == 0) return i + 1;
  global_addresses(w, i, addresses);
  std::uint64_t high = 0;
  for_lanes(mask, [&](unsigned lane) { high |= addresses.of[lane]; });
  // Apertures lie above host addresses, so most instructions need no closer look.
  if (high >> 47 != 0) return flat_by_aperture<Element>(w, i, addresses, mask);
  LaneAccess access;
  access.takes_steps = takes_steps<Element>();
  if (!resolve_global(w, i, addresses, mask, Element::kBytes, Element::kDirection, access))
    return nullptr;
  Element::apply(w, i, access);
  return i + 1;
}

struct Flat {
  template <class Element>
  static void add(OperationTable& t, const std::string& name) {
    t.add("flat_" + name, InstructionClass::flat, flat<Element>);
  }
};
struct Global {
  template <class Element>
  static void add(OperationTable& t, const std::string& name) {
    t.add("global_" + name, InstructionClass::global, global<Element>);
  }
};
struct Scratch {
  template <class Element>
  static void add(OperationTable& t, const std::string& name) {
    t.add("scratch_" + name, InstructionClass::scratch, scratch<Element>);
  }
};

template <class Family>
void register_gfx942_atomics(OperationTable& t) {
  Family::template add<Atomic<std::uint32_t, PackedAddBf16>>(t, "atomic_pk_add_bf16");
}

// A dword a lane into LDS, at M0 plus the instruction's offset plus 4 times the lane.
template <class Narrow>
void put_into_lds(Wave& w, const Instruction* i, const LaneAccess& from) {
  Offsets offsets;
  LaneAccess to;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    offsets.of[lane] = w.sgpr[kM0] + static_cast<std::uint32_t>(i->imm) + 4 * lane;
  resolve_lds(w, offsets.of, 0, from.mask, 4, Direction::write, to);
  for_lanes(from.mask, [&](unsigned lane) {
    Narrow value;
    std::memcpy(&value, from.at[lane], sizeof value);
    const auto wide = static_cast<std::uint32_t>(static_cast<std::int64_t>(value));
    std::memcpy(to.at[lane], &wide, 4);
  });
}

template <class Narrow>
struct IntoLds {
  static constexpr unsigned kBytes = sizeof(Narrow);
  static constexpr Direction kDirection = Direction::read;
  static void apply(Wave& w, const Instruction* i, const LaneAccess& from) {
    put_into_lds<Narrow>(w, i, from);
  }
};

template <class Narrow>
const Instruction* scratch_to_lds(Wave& w, const Instruction* i) {
  Offsets offsets;
  LaneAccess from;
  if (w.exec() == 0) return i + 1;
  scratch_offsets(w, i, offsets.of);
  if (!resolve_scratch(w, i, w.scalar64(kFlatScratch), offsets.of, w.exec(), sizeof(Narrow),
                       Direction::read, from))
    return nullptr;
  put_into_lds<Narrow>(w, i, from);
  return i + 1;
}

template <class Narrow>
void register_to_lds(OperationTable& t, const std::string& type) {
  t.add("global_load_lds_" + type, InstructionClass::global, global<IntoLds<Narrow>>);
  t.add("scratch_load_lds_" + type, InstructionClass::scratch, scratch_to_lds<Narrow>);
}

}  // namespace

void register_flat(OperationTable& t) {
  register_loads_and_stores<Flat>(t);
  register_atomics<Flat>(t);
  register_gfx942_atomics<Flat>(t);
  register_loads_and_stores<Global>(t);
  register_atomics<Global>(t);
  register_gfx942_atomics<Global>(t);
  register_loads_and_stores<Scratch>(t);
  register_to_lds<std::uint32_t>(t, "dword");
  register_to_lds<std::uint8_t>(t, "ubyte");
  register_to_lds<std::int8_t>(t, "sbyte");
  register_to_lds<std::uint16_t>(t, "ushort");
  register_to_lds<std::int16_t>(t, "sshort");
}

}  // namespace geak::emulator
