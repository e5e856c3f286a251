#include "emulator/check/memory_access.h"

#include <string_view>

#include "emulator/isa/constants.h"
#include "emulator/isa/memory/addresses.h"
#include "emulator/isa/operation.h"
#include "emulator/memory/page_map.h"
#include "emulator/wave/dispatch.h"

namespace geak::emulator::check {
namespace {

using Kind = AccessForm::Kind;

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

std::uint8_t memory_bytes(std::string_view name) {
  if (contains(name, "atomic")) return name.ends_with("_x2") || name.ends_with("_f64") ? 8 : 4;
  if (contains(name, "dwordx16")) return 64;
  if (contains(name, "dwordx8")) return 32;
  if (contains(name, "dwordx4")) return 16;
  if (contains(name, "dwordx3")) return 12;
  if (contains(name, "dwordx2")) return 8;
  if (contains(name, "dword")) return 4;
  if (contains(name, "short")) return 2;
  return contains(name, "byte") ? 1 : 0;
}

std::uint8_t lds_bytes(std::string_view name) {
  if (name.ends_with("_hi")) name.remove_suffix(3);
  if (name.ends_with("_d16")) name.remove_suffix(4);
  if (contains(name, "_pk_")) return 4;
  const std::string_view type = name.substr(name.rfind('_') + 1);
  if (type.ends_with("128")) return 16;
  if (type.ends_with("96")) return 12;
  if (type.ends_with("64")) return 8;
  if (type.ends_with("32")) return 4;
  if (type.ends_with("16")) return 2;
  return type.ends_with("8") ? 1 : 0;
}

AccessForm lds_form(std::string_view name) {
  AccessForm form;
  for (const std::string_view other :
       {"ds_permute", "ds_bpermute", "ds_swizzle", "ds_nop", "ds_gws"}) {
    if (name.starts_with(other)) return form;
  }
  form.bytes = lds_bytes(name);
  if (form.bytes == 0) return form;
  form.kind = contains(name, "_addtid_") ? Kind::lds_by_lane : Kind::lds;
  if (name.starts_with("ds_read2") || name.starts_with("ds_write2") ||
      name.starts_with("ds_wrxchg2")) {
    form.kind = Kind::lds_pair;
    form.pair_scale = contains(name, "st64") ? 64 : 1;
  }
  form.direction = name.starts_with("ds_read")    ? Direction::read
                   : name.starts_with("ds_write") ? Direction::write
                                                  : Direction::atomic;
  form.ignores_old_value = name.starts_with("ds_wrxchg");
  form.returns = contains(name, "_rtn_");
  return form;
}

Kind kind_of(std::string_view name) {
  if (name.starts_with("global_load_lds_")) return Kind::global_to_lds;
  if (name.starts_with("global_")) return Kind::global;
  if (name.starts_with("flat_")) return Kind::flat;
  if (name.starts_with("scratch_")) return Kind::scratch;
  if (name.starts_with("buffer_")) return Kind::buffer;
  if (name.starts_with("s_buffer_")) return Kind::scalar_buffer;
  if (name.starts_with("s_load_") || name.starts_with("s_store_") || name.starts_with("s_atomic_"))
    return Kind::scalar;
  return Kind::none;
}

Access& add(Accesses& accesses, Space space, const AccessForm& form) {
  Access& access = accesses.each[accesses.count++];
  access.space = space;
  access.direction = form.direction;
  access.bytes = form.bytes;
  access.scalar = false;
  access.data = access.result = kNoOperand;
  return access;
}

void set_operands(Access& access, const Instruction& i, const AccessForm& form) {
  if (form.direction != Direction::read) access.data = i.src[1];
  if (form.direction == Direction::read || form.returns) access.result = i.dst;
}

void scratch_access(WaveSlot& wave, const Instruction& i, const AccessForm& form,
                    std::uint64_t wave_base, const std::uint32_t* offsets, std::uint64_t mask,
                    Accesses& accesses) {
  if (mask == 0) return;
  Access& access = add(accesses, Space::scratch, form);
  set_operands(access, i, form);
  access.mask = mask;
  // The base may lie behind the wave's first dword: gfx90a adds its stack pointer to it.
  const std::uint64_t row = (wave_base - reinterpret_cast<std::uint64_t>(wave.scratch)) / kLanes;
  for_lanes(mask, [&](unsigned lane) { access.at[lane] = row + offsets[lane]; });
}

void flat_accesses(WaveSlot& wave, const Instruction& i, const AccessForm& form,
                   Accesses& accesses) {
  LaneAddresses addresses;
  global_addresses(wave, &i, addresses);
  std::uint64_t mask = wave.exec(), shared = 0, own = 0;
  if (form.kind == Kind::flat) {
    for_lanes(mask, [&](unsigned lane) {
      const std::uint64_t high = addresses.of[lane] >> 32;
      shared |= std::uint64_t{high == kSharedApertureHigh} << lane;
      own |= std::uint64_t{high == kPrivateApertureHigh} << lane;
    });
  }
  std::uint32_t offsets[kLanes];
  for (unsigned lane = 0; lane < kLanes; ++lane)
    offsets[lane] = static_cast<std::uint32_t>(addresses.of[lane]);
  mask &= ~(shared | own);
  if (mask) {
    Access& access = add(accesses, Space::global, form);
    set_operands(access, i, form);
    access.mask = mask;
    for_lanes(mask, [&](unsigned lane) { access.at[lane] = host_address(addresses.of[lane]); });
  }
  if (shared) {
    Access& access = add(accesses, Space::lds, form);
    set_operands(access, i, form);
    access.mask = shared;
    for_lanes(shared, [&](unsigned lane) { access.at[lane] = offsets[lane]; });
  }
  scratch_access(wave, i, form, wave.scalar64(kFlatScratch), offsets, own, accesses);
}

void to_lds(WaveSlot& wave, const Instruction& i, std::uint32_t m0, Accesses& accesses) {
  Access& from = accesses.each[0];
  from.result = kNoOperand;
  AccessForm form;
  form.direction = Direction::write;
  form.bytes = 4;
  Access& access = add(accesses, Space::lds, form);
  access.mask = from.mask;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    access.at[lane] = m0 + static_cast<std::uint32_t>(i.imm) + 4 * lane;
  (void)wave;
}

void buffer_access(WaveSlot& wave, const Instruction& i, const AccessForm& form,
                   Accesses& accesses) {
  const BufferDescriptor d(wave, &i);
  const std::uint64_t scalar_offset = scalar_u32(wave, i, i.src[3]);
  const std::uint64_t mask = wave.exec();
  if (d.is_private_segment(wave) && !(i.memory & kIdxen)) {
    std::uint32_t offsets[kLanes];
    for (unsigned lane = 0; lane < kLanes; ++lane)
      offsets[lane] = static_cast<std::uint32_t>(d.place_of(wave, &i, lane).offset);
    scratch_access(wave, i, form, d.base + scalar_offset, offsets, mask, accesses);
  } else {
    Access& access = add(accesses, Space::global, form);
    set_operands(access, i, form);
    access.mask = 0;
    for_lanes(mask, [&](unsigned lane) {
      const BufferPlace place = d.place_of(wave, &i, lane);
      if (!d.in_range(place, scalar_offset, form.bytes)) return;
      access.mask |= std::uint64_t{1} << lane;
      access.at[lane] = host_address(d.address(place, scalar_offset));
    });
  }
  if (form.direction == Direction::read && (i.memory & kLds) && accesses.count)
    to_lds(wave, i, wave.sgpr[kM0] & 0xffff, accesses);
}

void lds_access(WaveSlot& wave, const Instruction& i, const AccessForm& form, Accesses& accesses) {
  if (i.memory & kGds) return;
  const Lanes& row = wave.row(i.src[0]);
  const unsigned parts = form.kind == Kind::lds_pair ? 2 : 1;
  for (unsigned part = 0; part < parts; ++part) {
    Access& access = add(accesses, Space::lds, form);
    set_operands(access, i, form);
    if (form.direction == Direction::write) access.data = i.src[1 + part];
    if (access.result != kNoOperand)
      access.result = static_cast<std::uint16_t>(access.result + part * form.bytes / 4);
    access.mask = wave.exec();
    std::uint32_t offset = static_cast<std::uint32_t>(i.imm);
    if (parts == 2) offset = (offset >> 8 * part & 0xff) * form.bytes * form.pair_scale;
    // 32 bits, as the handlers add.
    for (unsigned lane = 0; lane < kLanes; ++lane)
      access.at[lane] = static_cast<std::uint32_t>(row[lane] + offset);
  }
}

void lds_by_lane(WaveSlot& wave, const Instruction& i, const AccessForm& form, Accesses& accesses) {
  Access& access = add(accesses, Space::lds, form);
  set_operands(access, i, form);
  access.mask = wave.exec();
  for (unsigned lane = 0; lane < kLanes; ++lane)
    access.at[lane] = (wave.sgpr[kM0] & 0xffff) + static_cast<std::uint32_t>(i.imm) + 4 * lane;
}

void scalar_access(WaveSlot& wave, const Instruction& i, const AccessForm& form,
                   Accesses& accesses) {
  std::uint64_t offset = static_cast<std::uint64_t>(std::int64_t{i.imm});
  if (i.src[1] != kNoOperand) offset += scalar_u32(wave, i, i.src[1]);
  std::uint64_t base = wave.scalar64(i.src[0]);
  std::uint8_t bytes = form.bytes;
  if (form.kind == Kind::scalar_buffer) {
    const std::uint32_t* words = &wave.sgpr[i.src[0]];
    base = words[0] | std::uint64_t{words[1] & 0xffff} << 32;
    const std::uint32_t stride = words[1] >> 16 & 0x3fff;
    const std::uint64_t records = std::uint64_t{words[2]} * (stride ? stride : 1);
    if (offset >= records) return;
    if (records - offset < bytes) bytes = static_cast<std::uint8_t>(records - offset);
  }
  Access& access = add(accesses, Space::global, form);
  access.scalar = true;
  access.bytes = bytes;
  access.mask = 1;
  access.at[0] = host_address(base + offset);
  if (form.direction == Direction::read || (i.memory & kGlc)) access.result = i.dst;
  if (form.direction != Direction::read) access.data = i.dst;
}

}  // namespace

const char* to_string(Space space) {
  switch (space) {
    case Space::global:
      return "global";
    case Space::lds:
      return "lds";
    default:
      return "scratch";
  }
}

AccessForm access_form(const Instruction& instruction) {
  AccessForm form;
  if (instruction.operation == nullptr) return form;
  const std::string_view name = instruction.operation->mnemonic;
  if (name.starts_with("ds_")) return lds_form(name);
  form.bytes = memory_bytes(name);
  if (form.bytes == 0) return form;
  form.kind = kind_of(name);
  const bool atomic = contains(name, "atomic");
  form.direction = atomic                    ? Direction::atomic
                   : contains(name, "store") ? Direction::write
                                             : Direction::read;
  form.high_half = name.ends_with("_d16_hi");
  form.low_half = name.ends_with("_d16");
  form.ignores_old_value = contains(name, "_swap");
  form.returns = atomic && (instruction.memory & kGlc);
  return form;
}

void find_accesses(WaveSlot& wave, const Instruction& instruction, const AccessForm& form,
                   Accesses& accesses) {
  accesses.count = 0;
  const bool vector = form.kind != Kind::scalar && form.kind != Kind::scalar_buffer;
  if (vector && wave.exec() == 0) return;
  switch (form.kind) {
    case Kind::none:
      return;
    case Kind::global:
    case Kind::flat:
      return flat_accesses(wave, instruction, form, accesses);
    case Kind::global_to_lds:
      flat_accesses(wave, instruction, form, accesses);
      return to_lds(wave, instruction, wave.sgpr[kM0], accesses);
    case Kind::scratch: {
      std::uint32_t offsets[kLanes];
      scratch_offsets(wave, &instruction, offsets);
      return scratch_access(wave, instruction, form, wave.scalar64(kFlatScratch), offsets,
                            wave.exec(), accesses);
    }
    case Kind::buffer:
      return buffer_access(wave, instruction, form, accesses);
    case Kind::lds:
    case Kind::lds_pair:
      return lds_access(wave, instruction, form, accesses);
    case Kind::lds_by_lane:
      return lds_by_lane(wave, instruction, form, accesses);
    case Kind::scalar:
    case Kind::scalar_buffer:
      return scalar_access(wave, instruction, form, accesses);
  }
}

}  // namespace geak::emulator::check
