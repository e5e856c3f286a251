// Guards mean in a trial what they mean in the program that the host's compiler makes.
#include "support/guard_expression.h"

#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <nlohmann/json.hpp>

#include "support/launch_change.h"

namespace geak::support {
namespace {

using Op = GuardExpression::Op;
using Type = GuardExpression::Type;

GuardExpression number(Type type, std::int64_t value) {
  return {Op::constant, type, 0, static_cast<std::uint64_t>(value), {}};
}
GuardExpression real(double value) {
  return {Op::constant, Type::f64, 0, std::bit_cast<std::uint64_t>(value), {}};
}
GuardExpression two(Op op, Type type, GuardExpression a, GuardExpression b) {
  return {op, type, 0, 0, {std::move(a), std::move(b)}};
}
GuardExpression one(Op op, Type type, GuardExpression a) {
  return {op, type, 0, 0, {std::move(a)}};
}
GuardExpression argument(Type type, std::uint32_t index) {
  return {Op::argument, type, index, 0, {}};
}
GuardExpression equal(GuardExpression a, GuardExpression b) {
  return two(Op::equal, Type::boolean, std::move(a), std::move(b));
}

const Launch launch{{3, 1, 1}, {64, 2, 1}, 128};

std::optional<bool> held(const GuardExpression& guard, const GuardFacts& facts = {}) {
  return holds(guard, launch, facts);
}

// The unsigned int product of a 32-bit launch wraps where one of 64 bits does not.
TEST(GuardExpression, EachOperationIsDoneInItsOwnType) {
  const auto wraps = [](Type type) {
    return two(Op::product, type, number(type, 0x10000), number(type, 0x10000));
  };
  EXPECT_EQ(held(equal(wraps(Type::u32), number(Type::u32, 0))), true);
  EXPECT_EQ(held(equal(wraps(Type::u64), number(Type::u64, 0))), false);
  // -1 < 1u is false, as everybody learns once.
  const auto minus = one(Op::convert, Type::u32, number(Type::i32, -1));
  EXPECT_EQ(held(two(Op::less, Type::boolean, minus, number(Type::u32, 1))), false);
  EXPECT_EQ(held(two(Op::less, Type::boolean, number(Type::i32, -1), number(Type::i32, 1))), true);
  // Toward zero, and the rest has the numerator's sign.
  EXPECT_EQ(held(equal(two(Op::quotient, Type::i32, number(Type::i32, -7), number(Type::i32, 2)),
                       number(Type::i32, -3))),
            true);
  EXPECT_EQ(held(equal(two(Op::remainder, Type::i32, number(Type::i32, -7), number(Type::i32, 4)),
                       number(Type::i32, -3))),
            true);
  EXPECT_EQ(held(equal(two(Op::shift_right, Type::i32, number(Type::i32, -8), number(Type::i32, 1)),
                       number(Type::i32, -4))),
            true);
  EXPECT_EQ(held(equal(one(Op::convert, Type::u8, number(Type::i32, 300)), number(Type::u8, 44))),
            true);
}

// 2^53 + 1 is no double; a float's sum is rounded to a float.
TEST(GuardExpression, NumbersAreRoundedAsTheirTypesAre) {
  const auto big = number(Type::i64, (std::int64_t{1} << 53) + 1);
  EXPECT_EQ(held(equal(one(Op::convert, Type::f64, big), real(0x1p53))), true);
  const auto sum = two(Op::sum, Type::f32, one(Op::convert, Type::f32, number(Type::i32, 1 << 24)),
                       one(Op::convert, Type::f32, number(Type::i32, 1)));
  EXPECT_EQ(held(equal(one(Op::convert, Type::f64, sum), real(0x1p24))), true);
}

TEST(GuardExpression, WhatWouldEndTheProgramIsNamed) {
  const auto zero = number(Type::i32, 0), seven = number(Type::i32, 7);
  for (const Op op : {Op::quotient, Op::remainder})
    EXPECT_THROW(held(equal(two(op, Type::i32, seven, zero), zero)), GuardFault);
  const auto least = number(Type::i32, std::numeric_limits<std::int32_t>::min());
  EXPECT_THROW(held(equal(two(Op::quotient, Type::i32, least, number(Type::i32, -1)), zero)),
               GuardFault);
  EXPECT_THROW(held(equal(two(Op::shift_left, Type::i32, seven, number(Type::i32, 32)), zero)),
               GuardFault);
  EXPECT_THROW(held(equal(one(Op::convert, Type::i32, real(1e10)), zero)), GuardFault);
}

TEST(GuardExpression, WhatDecidesComesFirst) {
  const auto n = argument(Type::i32, 0), d = argument(Type::i32, 1);
  const auto zero = number(Type::i32, 0);
  const auto guard = two(Op::all, Type::boolean, two(Op::less, Type::boolean, zero, d),
                         equal(two(Op::remainder, Type::i32, n, d), zero));
  const auto with = [&](std::int64_t value, std::optional<std::int64_t> divisor) {
    GuardFacts facts;
    facts.argument = [=](std::uint32_t position, std::uint32_t, std::uint32_t) {
      return position == 0 ? std::optional(static_cast<std::uint64_t>(value))
             : divisor     ? std::optional(static_cast<std::uint64_t>(*divisor))
                           : std::nullopt;
    };
    return held(guard, facts);
  };
  EXPECT_EQ(with(12, 4), true);
  EXPECT_EQ(with(13, 4), false);
  EXPECT_EQ(with(12, 0), false) << "nothing is divided";
  EXPECT_EQ(with(12, std::nullopt), std::nullopt) << "nobody knows";
}

TEST(GuardExpression, AsksForTheLaunch) {
  const auto items = two(Op::product, Type::u32, {Op::grid, Type::u32, 0, 0, {}},
                         {Op::block, Type::u32, 0, 0, {}});
  EXPECT_EQ(held(equal(items, number(Type::u32, 192))), true);
  EXPECT_EQ(held(equal({Op::block, Type::u32, 1, 0, {}}, number(Type::u32, 2))), true);
  EXPECT_EQ(held(equal({Op::dynamic_lds, Type::u64, 0, 0, {}}, number(Type::u64, 128))), true);
  EXPECT_THROW(held({Op::grid, Type::u32, 3, 0, {}}), std::invalid_argument);
}

// Three pointers: two into one allocation, and null.
TEST(GuardExpression, AsksForAllocations) {
  GuardFacts facts;
  facts.argument = [](std::uint32_t position, std::uint32_t, std::uint32_t) {
    return std::optional<std::uint64_t>(
        std::array<std::uint64_t, 4>{4096, 4160, 0, 8192}[position]);
  };
  facts.allocation = [](std::uint32_t position,
                        std::uint32_t) -> std::optional<GuardFacts::Allocation> {
    if (position == 2) return GuardFacts::Allocation{};
    return GuardFacts::Allocation{position == 3 ? 8192u : 4096u, 128};
  };
  const auto pointer = [](std::uint32_t position) { return argument(Type::pointer, position); };
  const auto apart = [&](std::uint32_t a, std::uint32_t b) {
    return held(two(Op::apart, Type::boolean, pointer(a), pointer(b)), facts);
  };
  EXPECT_EQ(apart(0, 3), true);
  EXPECT_EQ(apart(0, 1), false);
  EXPECT_EQ(apart(0, 2), false) << "the runtime knows no allocation there";
  EXPECT_EQ(apart(2, 0), false);
  const auto readable = [&](GuardExpression at, double bytes) {
    return held(two(Op::readable, Type::boolean, std::move(at), real(bytes)), facts);
  };
  EXPECT_EQ(readable(pointer(1), 64), true);
  EXPECT_EQ(readable(pointer(1), 65), false);
  EXPECT_EQ(readable(pointer(2), 0), false);
  const auto before = two(Op::difference, Type::pointer, pointer(0), number(Type::i64, 1));
  EXPECT_EQ(readable(before, 1), false);
  facts.allocation = nullptr;
  EXPECT_EQ(readable(pointer(0), 1), std::nullopt);
}

TEST(GuardExpression, KeepsItsMeaningAsJson) {
  const auto guard =
      two(Op::all, Type::boolean,
          equal(two(Op::remainder, Type::i32, argument(Type::i32, 4), number(Type::i32, 4)),
                number(Type::i32, -1)),
          two(Op::readable, Type::boolean, argument(Type::pointer, 1), real(16.5)));
  nlohmann::json json;
  to_json(json, guard);
  EXPECT_EQ(nlohmann::json::parse(json.dump()).get<GuardExpression>(), guard);
  for (const char* wrong : {R"({"op": "system", "type": "bool"})", R"({"op": "%", "type": "i32"})",
                            R"({"op": "constant", "type": "int"})", R"({"type": "bool"})", "[]"})
    EXPECT_ANY_THROW((void)nlohmann::json::parse(wrong).get<GuardExpression>()) << wrong;
  LaunchChange change;
  change.guard = guard;
  EXPECT_EQ(nlohmann::json(change).get<LaunchChange>(), change);
}

TEST(GuardExpression, SaysWhichNumbersItNames) {
  const auto guard =
      two(Op::any, Type::boolean, equal(argument(Type::i32, 0), number(Type::i32, 12345)),
          two(Op::less, Type::boolean, argument(Type::f64, 1), real(77.0)));
  EXPECT_EQ(constants_in(guard), (std::vector<std::int64_t>{77, 12345}));
}

}  // namespace
}  // namespace geak::support
