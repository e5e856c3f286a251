// Operations on the bytes of dwords: sums of differences, permutation, averages.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "emulator/isa/vector/bytes.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// must come after foreach_target.h
#include "emulator/isa/vector/families.h"
#include "emulator/isa/vector/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace geak::emulator {
namespace HWY_NAMESPACE {
namespace {

constexpr auto kClass = InstructionClass::valu;

u32 byte_of(u32 x, unsigned n) { return x >> (8 * n) & 0xff; }
u32 distance(u32 a, u32 b) { return a > b ? a - b : b - a; }

// Sum of absolute differences of four bytes; the masked form skips bytes where b is 0.
template <bool masked>
u32 sum_of_distances(u32 a, u32 b, u32 c) {
  for (unsigned n = 0; n < 4; ++n) {
    const u32 d = distance(byte_of(a, n), byte_of(b, n));
    c += masked && byte_of(b, n) == 0 ? 0 : d;
  }
  return c;
}

// Four sums over a sliding window of a, each added to 16 bits of c.
template <bool masked>
u64 sliding_sums(u64 a, u32 b, u64 c) {
  u64 result = 0;
  for (unsigned n = 0; n < 4; ++n) {
    const u32 sum = sum_of_distances<masked>(static_cast<u32>(a >> (8 * n)), b,
                                             static_cast<u32>(c >> (16 * n) & 0xffff));
    result |= u64{sum & 0xffff} << (16 * n);
  }
  return result;
}

// As sliding_sums, to four dwords: sources and destination of 128 bits.
const Instruction* sliding_sums_wide(Wave& w, const Instruction* i) {
  const Source<u64> a(w, i, 0);
  const Source<u32> b(w, i, 1);
  const bool vector = is_vector_operand(i->src[2]);
  Rows<4> c, out;
  for (unsigned n = 0; n < 4; ++n) {
    if (vector)
      __builtin_memcpy(c.lane + n * kLanes, w.row(i->src[2] + n), sizeof(Lanes));
    else
      broadcast(c.lane + n * kLanes,
                scalar_u32(w, *i, i->src[2] < 104 ? i->src[2] + n : i->src[2]));
  }
  for (unsigned n = 0; n < 4; ++n)
    for (unsigned l = 0; l < kLanes; ++l)
      out.lane[n * kLanes + l] =
          sum_of_distances<true>(static_cast<u32>(a[l] >> (8 * n)), b[l], c.lane[n * kLanes + l]);
  for (unsigned n = 0; n < 4; ++n) blend(w.row(i->dst + n), out.lane + n * kLanes, w.exec());
  return i + 1;
}

// Selector: 0..7 a byte of {a, b} (b is the low dword), 8..11 the sign of a word, 12 zero, above:
// 0xff.
u32 permuted_byte(u64 data, u32 selector) {
  const u32 byte = static_cast<u32>(data >> (8 * (selector & 7))) & 0xff;
  const u32 sign_position = 16 * (selector & 3) + 15;
  const u32 sign = data >> sign_position & 1 ? 0xff : 0;
  return selector >= 13 ? 0xff : selector == 12 ? 0 : selector >= 8 ? sign : byte;
}

u32 permute(u32 a, u32 b, u32 selectors) {
  const u64 data = u64{a} << 32 | b;
  u32 result = 0;
  for (unsigned n = 0; n < 4; ++n) result |= permuted_byte(data, byte_of(selectors, n)) << (8 * n);
  return result;
}

// Averages of bytes; bit 0 of each of c's bytes rounds up.
u32 average(u32 a, u32 b, u32 c) {
  u32 result = 0;
  for (unsigned n = 0; n < 4; ++n)
    result |= (byte_of(a, n) + byte_of(b, n) + (c >> (8 * n) & 1)) >> 1 << (8 * n);
  return result;
}

}  // namespace

void register_bytes(OperationTable& t) {
  t.add("v_sad_u8", kClass,
        lanes<[](u32 a, u32 b, u32 c) { return sum_of_distances<false>(a, b, c); }>);
  t.add("v_sad_hi_u8", kClass,
        lanes<[](u32 a, u32 b, u32 c) { return (sum_of_distances<false>(a, b, 0) << 16) + c; }>);
  t.add("v_msad_u8", kClass,
        lanes<[](u32 a, u32 b, u32 c) { return sum_of_distances<true>(a, b, c); }>);
  t.add("v_sad_u16", kClass, lanes<[](u32 a, u32 b, u32 c) {
          return distance(a & 0xffff, b & 0xffff) + distance(a >> 16, b >> 16) + c;
        }>);
  t.add("v_sad_u32", kClass, lanes<[](u32 a, u32 b, u32 c) { return distance(a, b) + c; }>);
  t.add("v_qsad_pk_u16_u8", kClass,
        lanes<[](u64 a, u32 b, u64 c) { return sliding_sums<false>(a, b, c); }>);
  t.add("v_mqsad_pk_u16_u8", kClass,
        lanes<[](u64 a, u32 b, u64 c) { return sliding_sums<true>(a, b, c); }>);
  t.add("v_mqsad_u32_u8", kClass, sliding_sums_wide);
  t.add("v_perm_b32", kClass, lanes<[](u32 a, u32 b, u32 c) { return permute(a, b, c); }>);
  t.add("v_lerp_u8", kClass, lanes<[](u32 a, u32 b, u32 c) { return average(a, b, c); }>);
}

}  // namespace HWY_NAMESPACE
}  // namespace geak::emulator
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace geak::emulator {
HWY_EXPORT(register_bytes);
void register_vector_bytes(OperationTable& t) { HWY_DYNAMIC_DISPATCH(register_bytes)(t); }
}  // namespace geak::emulator
#endif
