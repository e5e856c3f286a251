// DS instructions that move data between lanes through the LDS crossbar, without its memory.
#include <bit>
#include <cstring>

#include "emulator/isa/interpreter.h"
#include "emulator/isa/operation.h"
#include "emulator/wave/workgroup.h"

namespace geak::emulator {
namespace {

constexpr auto kClass = InstructionClass::lds;

// A dword of 64 lanes takes two cycles of the crossbar.
void count(Wave& w) {
  if (w.exec() == 0) return;
  ++w.workgroup->memory->counters.lds_instructions;
  WaveSlot& slot = slot_of(w);
  ++slot.outstanding_lds;
  slot.clock.issue_lds(cycles_of(slot), w.workgroup->memory->latency.lds);
  w.workgroup->memory->counters.lds_cycles += 2;
}

unsigned lane_of(std::uint32_t address, const Instruction* i) {
  return (address + static_cast<std::uint32_t>(i->imm)) / 4 % kLanes;
}

// Each active lane sends its data to the lane that its address names (a byte address of dwords); a
// lane to which nobody sends gets 0, and of several senders the highest lane wins.
const Instruction* permute(Wave& w, const Instruction* i) {
  alignas(64) std::uint32_t received[kLanes] = {};
  const Lanes &address = w.row(i->src[0]), &data = w.row(i->src[1]);
  const std::uint64_t mask = w.exec();
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (mask >> lane & 1) received[lane_of(address[lane], i)] = data[lane];
  }
  Lanes& result = w.row(i->dst);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (mask >> lane & 1) result[lane] = received[lane];
  }
  count(w);
  return i + 1;
}

// Each active lane fetches the data of the lane that its address names; inactive lanes give 0.
const Instruction* backward_permute(Wave& w, const Instruction* i) {
  alignas(64) std::uint32_t source[kLanes];
  const Lanes &address = w.row(i->src[0]), &data = w.row(i->src[1]);
  const std::uint64_t mask = w.exec();
  for (unsigned lane = 0; lane < kLanes; ++lane) source[lane] = mask >> lane & 1 ? data[lane] : 0;
  Lanes& result = w.row(i->dst);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (mask >> lane & 1) result[lane] = source[lane_of(address[lane], i)];
  }
  count(w);
  return i + 1;
}

unsigned reversed5(unsigned value) {
  unsigned result = 0;
  for (unsigned bit = 0; bit < 5; ++bit) result |= (value >> bit & 1) << (4 - bit);
  return result;
}

// The lane of which `lane` gets the data, by the 16-bit pattern (ISA manuals, DS_SWIZZLE_B32): all
// but the quad form work within 32 lanes.
unsigned swizzle_source(unsigned pattern, unsigned lane) {
  const unsigned half = lane & 32, l = lane & 31, mask = pattern & 0x1f;
  if (pattern >= 0xe000)  // FFT
    return half | (reversed5(l) >> std::popcount(mask)) | (l & mask);
  if (pattern >= 0xc000) {  // rotation, of what the mask leaves free
    const unsigned by = pattern >> 5 & 0x1f;
    const unsigned rotated = pattern & 0x400 ? l - by : l + by;
    return half | (l & mask) | (rotated & ~mask & 0x1f);
  }
  if (pattern & 0x8000) return (lane & ~3u) | (pattern >> (lane & 3) * 2 & 3);  // within quads
  return half | (((l & mask) | (pattern >> 5 & 0x1f)) ^ (pattern >> 10 & 0x1f));
}

const Instruction* swizzle(Wave& w, const Instruction* i) {
  alignas(64) std::uint32_t source[kLanes];
  const std::uint64_t mask = w.exec();
  std::memcpy(source, w.row(i->src[0]), sizeof source);
  Lanes& result = w.row(i->dst);
  const unsigned pattern = static_cast<unsigned>(i->imm) & 0xffff;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (!(mask >> lane & 1)) continue;
    const unsigned from = swizzle_source(pattern, lane);
    result[lane] = mask >> from & 1 ? source[from] : 0;
  }
  count(w);
  return i + 1;
}

}  // namespace

void register_lane_exchange(OperationTable& t) {
  t.add("ds_permute_b32", kClass, permute);
  t.add("ds_bpermute_b32", kClass, backward_permute);
  t.add("ds_swizzle_b32", kClass, swizzle);
}

}  // namespace geak::emulator
