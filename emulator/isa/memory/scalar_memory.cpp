// Scalar memory instructions: loads and stores of SGPRs, clocks.
#include <fmt/format.h>

#include <chrono>
#include <cstring>

#include "emulator/isa/constants.h"
#include "emulator/isa/interpreter.h"
#include "emulator/isa/operation.h"
#include "emulator/memory/page_map.h"
#include "emulator/wave/launch.h"
#include "emulator/wave/workgroup.h"

namespace geak::emulator {
namespace {

constexpr auto kClass = InstructionClass::scalar_memory;

std::uint64_t offset_of(const Wave& w, const Instruction* i) {
  std::uint64_t offset = static_cast<std::uint64_t>(std::int64_t{i->imm});
  if (i->src[1] != kNoOperand) offset += scalar_u32(w, *i, i->src[1]);
  return offset;
}

const Instruction* scalar_fault(Wave& w, const Instruction* i, const char* verb, unsigned bytes,
                                std::uint64_t address) {
  return fault(w, i, FaultKind::memory,
               fmt::format("memory fault: {} {} bytes at {:#x}, which was not given to the GPU: {}",
                           verb, bytes, address, describe(w, *i)));
}

// The arguments and the packet are read to start the dispatch: the time of a launch is that of the
// smallest kernels, so it holds the wait for them.
bool is_of_launch(const Launch* launch, std::uint64_t address) {
  constexpr std::uint64_t kPacketBytes = 64;
  return launch != nullptr &&
         (address - launch->dispatch.kernarg_address < launch->descriptor.kernarg_bytes ||
          address - launch->dispatch.packet_address < kPacketBytes);
}

void count(Wave& w, std::uint64_t address, unsigned bytes) {
  MemoryMeter& meter = *w.workgroup->memory;
  MemoryCounters& counters = w.workgroup->memory->counters;
  WaveSlot& slot = slot_of(w);
  slot.clock.issue_scalar(cycles_of(slot),
                          is_of_launch(w.workgroup->launch, address)
                              ? meter.latency.scalar
                              : meter.scalar_cycles(w.index_in_workgroup, address, bytes));
  counters.scalar_bytes += bytes;
  ++slot.outstanding_scalar;
  counters.scalar_lines64 += ((address + bytes - 1) >> 6) - (address >> 6) + 1;
}

template <unsigned dwords>
const Instruction* load(Wave& w, const Instruction* i) {
  const std::uint64_t address = (w.scalar64(i->src[0]) + offset_of(w, i)) & ~std::uint64_t{3};
  if (!PageMap::instance().covers(address, 4 * dwords)) [[unlikely]]
    return scalar_fault(w, i, "reads", 4 * dwords, address);
  count(w, address, 4 * dwords);
  std::memcpy(&w.sgpr[i->dst], reinterpret_cast<const void*>(host_address(address)), 4 * dwords);
  return i + 1;
}

template <unsigned dwords>
const Instruction* store(Wave& w, const Instruction* i) {
  const std::uint64_t address = (w.scalar64(i->src[0]) + offset_of(w, i)) & ~std::uint64_t{3};
  if (!PageMap::instance().covers(address, 4 * dwords)) [[unlikely]]
    return scalar_fault(w, i, "writes", 4 * dwords, address);
  count(w, address, 4 * dwords);
  std::memcpy(reinterpret_cast<void*>(host_address(address)), &w.sgpr[i->dst], 4 * dwords);
  return i + 1;
}

// Through a buffer descriptor; dwords beyond its records read as 0.
template <unsigned dwords>
const Instruction* buffer_load(Wave& w, const Instruction* i) {
  const std::uint32_t* descriptor = &w.sgpr[i->src[0]];
  const std::uint64_t base = descriptor[0] | std::uint64_t{descriptor[1] & 0xffff} << 32;
  const std::uint32_t stride = descriptor[1] >> 16 & 0x3fff;
  const std::uint64_t records = std::uint64_t{descriptor[2]} * (stride ? stride : 1);
  const std::uint64_t offset = offset_of(w, i) & ~std::uint64_t{3};
  for (unsigned d = 0; d < dwords; ++d) {
    const std::uint64_t at = offset + 4 * d;
    std::uint32_t value = 0;
    if (at + 4 <= records) {
      if (!PageMap::instance().covers(base + at, 4))
        return scalar_fault(w, i, "reads", 4, base + at);
      std::memcpy(&value, reinterpret_cast<const void*>(host_address(base + at)), 4);
    }
    w.sgpr[i->dst + d] = value;
  }
  count(w, base + offset, 4 * dwords);
  return i + 1;
}

std::uint64_t host_ns() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::steady_clock::now().time_since_epoch())
                                        .count());
}

// The clocks follow the host's, at the rates of the device, so that loops that wait for them end.
const Instruction* engine_clock(Wave& w, const Instruction* i) {
  const std::uint64_t mhz = w.workgroup->launch->dispatch.device->engine_mhz;
  w.set_scalar64(i->dst, static_cast<std::uint64_t>(static_cast<double>(host_ns()) * mhz / 1000));
  return i + 1;
}

const Instruction* constant_clock(Wave& w, const Instruction* i) {
  w.set_scalar64(i->dst, host_ns() / 10);  // 100 MHz
  return i + 1;
}

const Instruction* no_operation(Wave&, const Instruction* i) { return i + 1; }

}  // namespace

void register_scalar_memory(OperationTable& t) {
  t.add("s_load_dword", kClass, load<1>);
  t.add("s_load_dwordx2", kClass, load<2>);
  t.add("s_load_dwordx4", kClass, load<4>);
  t.add("s_load_dwordx8", kClass, load<8>);
  t.add("s_load_dwordx16", kClass, load<16>);
  t.add("s_buffer_load_dword", kClass, buffer_load<1>);
  t.add("s_buffer_load_dwordx2", kClass, buffer_load<2>);
  t.add("s_buffer_load_dwordx4", kClass, buffer_load<4>);
  t.add("s_buffer_load_dwordx8", kClass, buffer_load<8>);
  t.add("s_buffer_load_dwordx16", kClass, buffer_load<16>);
  t.add("s_store_dword", kClass, store<1>);
  t.add("s_store_dwordx2", kClass, store<2>);
  t.add("s_store_dwordx4", kClass, store<4>);
  t.add("s_memtime", kClass, engine_clock, Fidelity::approximate, "follows the host's clock");
  t.add("s_memrealtime", kClass, constant_clock, Fidelity::approximate, "follows the host's clock");
  for (const char* name :
       {"s_dcache_discard", "s_dcache_discard_x2", "s_atc_probe", "s_atc_probe_buffer"})
    t.add(name, kClass, no_operation);
}

}  // namespace geak::emulator
