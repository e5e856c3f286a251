// Integer operations with a carry in or out: a lane mask.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "emulator/isa/vector/carry.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// must come after foreach_target.h
#include "emulator/isa/vector/families.h"
#include "emulator/isa/vector/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace geak::emulator {
namespace HWY_NAMESPACE {
namespace {

constexpr auto kClass = InstructionClass::valu;

using Sum = Carry<u32>;

enum class Order { forward, reverse };  // of the operands of a subtraction

// The clamped results: v_add_co_u32 ... clamp.
Sum saturated_sum(u32 a, u32 b, u32 carry) {
  const u64 sum = u64{a} + b + carry;
  return {sum >> 32 ? ~0u : static_cast<u32>(sum), sum >> 32 != 0};
}
Sum saturated_difference(u32 a, u32 b, u32 borrow) {
  const bool below = a < u64{b} + borrow;
  return {below ? 0u : a - b - borrow, below};
}

using Mask = hn::Mask<Tag>;
struct Add {
  // `carry` comes in and goes out.
  template <class V>
  static HWY_INLINE V apply(V a, V b, Mask& carry) {
    const Tag d;
    const V sum = hn::Add(a, b);
    const V result = hn::Add(sum, hn::IfThenElseZero(carry, hn::Set(d, 1)));
    carry = hn::Or(hn::Lt(sum, a), hn::And(carry, hn::Eq(sum, hn::Set(d, ~0u))));
    return result;
  }
};
template <Order order>
struct Subtract {
  template <class V>
  static HWY_INLINE V apply(V x, V y, Mask& borrow) {
    const Tag d;
    const V a = order == Order::forward ? x : y, b = order == Order::forward ? y : x;
    const V result = hn::Sub(hn::Sub(a, b), hn::IfThenElseZero(borrow, hn::Set(d, 1)));
    borrow = hn::Or(hn::Lt(a, b), hn::And(borrow, hn::Eq(a, b)));
    return result;
  }
};

// By vectors, so that the carries never become flags in memory.
template <class Operation, bool carries_in>
HWY_INLINE void with_carries(Wave& w, const Instruction* i) {
  const Tag d;
  constexpr unsigned kStep = HWY_MAX_BYTES / 4 < 16 ? HWY_MAX_BYTES / 4 : 16;
  const Source<u32> a(w, i, 0), b(w, i, 1);
  const u64 in = carries_in ? mask_operand(w, i, 2) : 0;
  Destination<u32> out(w, i);
  u64 carries = 0;
  for (unsigned l = 0; l < kLanes; l += kStep) {
    const u64 part = in >> l;
    Mask carry = hn::LoadMaskBits(d, reinterpret_cast<const std::uint8_t*>(&part));
    hn::Store(Operation::apply(hn::Load(d, a.low + l), hn::Load(d, b.low + l), carry), d,
              out.low + l);
    u64 bits = 0;
    hn::StoreMaskBits(d, carry, reinterpret_cast<std::uint8_t*>(&bits));
    carries |= (bits & 0xffff) << l;
  }
  const u64 written = write_mask(w, i);
  out.finish_to(w, i);
  w.set_scalar64(i->sdst, carries & written);
}

template <class Operation, auto saturating>
const Instruction* carry_out(Wave& w, const Instruction* i) {
  if (i->clamp) [[unlikely]]
    return lanes<[](u32 a, u32 b) { return saturating(a, b, 0); }>(w, i);
  with_carries<Operation, false>(w, i);
  return i + 1;
}
template <class Operation, auto saturating>
const Instruction* carry_in_and_out(Wave& w, const Instruction* i) {
  if (i->clamp) [[unlikely]]
    return lanes<[](u32 a, u32 b, bool carry) { return saturating(a, b, carry); }>(w, i);
  with_carries<Operation, true>(w, i);
  return i + 1;
}

Carry<u64> multiply_add(u64 product, u64 c) { return {product + c, product + c < c}; }

// The product is at most 2^62 in magnitude; D1 is the carry of the 64-bit addition of bit patterns
// extended with the signs.
Carry<u64> multiply_add_signed(i64 product, i64 c) {
  const __int128 wide = static_cast<__int128>(product) + c;
  return {static_cast<u64>(wide), ((static_cast<unsigned __int128>(wide) >> 64) & 1) != 0};
}

}  // namespace

void register_carry(OperationTable& t) {
  using Forward = Subtract<Order::forward>;
  using Reverse = Subtract<Order::reverse>;
  constexpr auto sum = [](u32 a, u32 b, u32 carry) { return saturated_sum(a, b, carry); };
  constexpr auto forward = [](u32 a, u32 b, u32 borrow) {
    return saturated_difference(a, b, borrow);
  };
  constexpr auto reverse = [](u32 a, u32 b, u32 borrow) {
    return saturated_difference(b, a, borrow);
  };
  t.add("v_add_co_u32", kClass, carry_out<Add, sum>);
  t.add("v_sub_co_u32", kClass, carry_out<Forward, forward>);
  t.add("v_subrev_co_u32", kClass, carry_out<Reverse, reverse>);
  t.add("v_addc_co_u32", kClass, carry_in_and_out<Add, sum>);
  t.add("v_subb_co_u32", kClass, carry_in_and_out<Forward, forward>);
  t.add("v_subbrev_co_u32", kClass, carry_in_and_out<Reverse, reverse>);
  t.add("v_mad_u64_u32", kClass,
        lanes<[](u32 a, u32 b, u64 c) { return multiply_add(u64{a} * b, c); }>);
  t.add("v_mad_i64_i32", kClass,
        lanes<[](i32 a, i32 b, i64 c) { return multiply_add_signed(i64{a} * b, c); }>);
}

}  // namespace HWY_NAMESPACE
}  // namespace geak::emulator
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace geak::emulator {
HWY_EXPORT(register_carry);
void register_vector_carry(OperationTable& t) { HWY_DYNAMIC_DISPATCH(register_carry)(t); }
}  // namespace geak::emulator
#endif
