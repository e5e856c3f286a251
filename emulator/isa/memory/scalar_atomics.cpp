// Atomic operations and stores of scalar registers.
#include <fmt/format.h>

#include <atomic>
#include <cstring>

#include "emulator/isa/constants.h"
#include "emulator/isa/interpreter.h"
#include "emulator/isa/memory/atomic_changes.h"
#include "emulator/isa/operation.h"
#include "emulator/memory/page_map.h"
#include "emulator/wave/workgroup.h"

namespace geak::emulator {
namespace {

constexpr auto kClass = InstructionClass::scalar_memory;

std::uint64_t offset_of(const Wave& w, const Instruction* i) {
  std::uint64_t offset = static_cast<std::uint64_t>(std::int64_t{i->imm});
  if (i->src[1] != kNoOperand) offset += scalar_u32(w, *i, i->src[1]);
  return offset;
}

// Through a buffer descriptor (4 registers) or a plain address. 0: beyond the buffer's records.
template <bool buffer>
std::uint64_t address_of(const Wave& w, const Instruction* i, unsigned bytes) {
  const std::uint64_t offset = offset_of(w, i) & ~std::uint64_t{3};
  if (!buffer) return (w.scalar64(i->src[0]) & ~std::uint64_t{3}) + offset;
  const std::uint32_t* descriptor = &w.sgpr[i->src[0]];
  const std::uint32_t stride = descriptor[1] >> 16 & 0x3fff;
  const std::uint64_t records = std::uint64_t{descriptor[2]} * (stride ? stride : 1);
  if (offset + bytes > records) return 0;
  return (descriptor[0] | std::uint64_t{descriptor[1] & 0xffff} << 32) + offset;
}

const Instruction* memory_fault(Wave& w, const Instruction* i, std::uint64_t address,
                                const char* why) {
  return fault(
      w, i, FaultKind::memory,
      fmt::format("memory fault: scalar access to {:#x}, {}: {}", address, why, describe(w, *i)));
}

template <class T>
T scalar_data(const Wave& w, unsigned code) {
  T value;
  std::memcpy(&value, &w.sgpr[code], sizeof value);
  return value;
}

// GLC: the old value is returned in the data register.
template <class T, class Change, bool buffer>
const Instruction* atomic(Wave& w, const Instruction* i) {
  const std::uint64_t address = address_of<buffer>(w, i, sizeof(T));
  T old{};
  if (address != 0) {
    if (!PageMap::instance().covers(address, sizeof(T)))
      return memory_fault(w, i, address, "which was not given to the GPU");
    if (address % sizeof(T) != 0)
      return memory_fault(w, i, address, "and an atomic operation must be aligned");
    const T data = scalar_data<T>(w, i->dst);
    std::atomic_ref<T> memory(*reinterpret_cast<T*>(host_address(address)));
    old = memory.load();
    while (!memory.compare_exchange_weak(old, Change{}(old, data))) {
    }
  }
  if (i->memory & kGlc) std::memcpy(&w.sgpr[i->dst], &old, sizeof old);
  return i + 1;
}

// The new value, then the one to compare with, in consecutive registers.
template <class T, bool buffer>
const Instruction* compare_and_swap(Wave& w, const Instruction* i) {
  const std::uint64_t address = address_of<buffer>(w, i, sizeof(T));
  T old{};
  if (address != 0) {
    if (!PageMap::instance().covers(address, sizeof(T)))
      return memory_fault(w, i, address, "which was not given to the GPU");
    if (address % sizeof(T) != 0)
      return memory_fault(w, i, address, "and an atomic operation must be aligned");
    old = scalar_data<T>(w, i->dst + sizeof(T) / 4);
    std::atomic_ref<T>(*reinterpret_cast<T*>(host_address(address)))
        .compare_exchange_strong(old, scalar_data<T>(w, i->dst));
  }
  if (i->memory & kGlc) std::memcpy(&w.sgpr[i->dst], &old, sizeof old);
  return i + 1;
}

template <unsigned dwords>
const Instruction* buffer_store(Wave& w, const Instruction* i) {
  for (unsigned d = 0; d < dwords; ++d) {
    const std::uint64_t address = address_of<true>(w, i, 4 * (d + 1));
    if (address == 0) break;  // records end
    if (!PageMap::instance().covers(address + 4 * d, 4))
      return memory_fault(w, i, address + 4 * d, "which was not given to the GPU");
    std::memcpy(reinterpret_cast<void*>(host_address(address + 4 * d)), &w.sgpr[i->dst + d], 4);
  }
  return i + 1;
}

template <class U, class I, bool buffer>
void register_atomics(OperationTable& t, const std::string& prefix, const std::string& suffix) {
  t.add(prefix + "swap" + suffix, kClass, atomic<U, Swap<U>, buffer>);
  t.add(prefix + "cmpswap" + suffix, kClass, compare_and_swap<U, buffer>);
  t.add(prefix + "add" + suffix, kClass, atomic<U, Add<U>, buffer>);
  t.add(prefix + "sub" + suffix, kClass, atomic<U, Subtract<U>, buffer>);
  t.add(prefix + "smin" + suffix, kClass, atomic<I, Minimum<I>, buffer>);
  t.add(prefix + "umin" + suffix, kClass, atomic<U, Minimum<U>, buffer>);
  t.add(prefix + "smax" + suffix, kClass, atomic<I, Maximum<I>, buffer>);
  t.add(prefix + "umax" + suffix, kClass, atomic<U, Maximum<U>, buffer>);
  t.add(prefix + "and" + suffix, kClass, atomic<U, And<U>, buffer>);
  t.add(prefix + "or" + suffix, kClass, atomic<U, Or<U>, buffer>);
  t.add(prefix + "xor" + suffix, kClass, atomic<U, Xor<U>, buffer>);
  t.add(prefix + "inc" + suffix, kClass, atomic<U, Increment<U>, buffer>);
  t.add(prefix + "dec" + suffix, kClass, atomic<U, Decrement<U>, buffer>);
}

}  // namespace

void register_scalar_atomics(OperationTable& t) {
  using U = std::uint32_t;
  using I = std::int32_t;
  using U64 = std::uint64_t;
  using I64 = std::int64_t;
  register_atomics<U, I, false>(t, "s_atomic_", "");
  register_atomics<U64, I64, false>(t, "s_atomic_", "_x2");
  register_atomics<U, I, true>(t, "s_buffer_atomic_", "");
  register_atomics<U64, I64, true>(t, "s_buffer_atomic_", "_x2");
  t.add("s_buffer_store_dword", kClass, buffer_store<1>);
  t.add("s_buffer_store_dwordx2", kClass, buffer_store<2>);
  t.add("s_buffer_store_dwordx4", kClass, buffer_store<4>);
}

}  // namespace geak::emulator
