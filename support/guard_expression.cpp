#include "support/guard_expression.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "support/launch_change.h"

namespace geak::support {
namespace {

using Op = GuardExpression::Op;
using Type = GuardExpression::Type;

bool is_signed(Type type) {
  return type == Type::i8 || type == Type::i16 || type == Type::i32 || type == Type::i64;
}
bool is_floating(Type type) { return type == Type::f32 || type == Type::f64; }

/// An integer or address as 64 bits, extended as its type says; a number as a double.
struct Value {
  std::uint64_t bits = 0;
  double real = 0;
  GuardFacts::Allocation allocation;  ///< of an address that comes from an argument
};

/// Wraps as the machine does.
std::uint64_t cut(std::uint64_t bits, Type type) {
  switch (type) {
    case Type::boolean:
      return bits != 0 ? 1 : 0;
    case Type::i8:
      return static_cast<std::uint64_t>(static_cast<std::int8_t>(bits));
    case Type::u8:
      return static_cast<std::uint8_t>(bits);
    case Type::i16:
      return static_cast<std::uint64_t>(static_cast<std::int16_t>(bits));
    case Type::u16:
      return static_cast<std::uint16_t>(bits);
    case Type::i32:
      return static_cast<std::uint64_t>(static_cast<std::int32_t>(bits));
    case Type::u32:
      return static_cast<std::uint32_t>(bits);
    default:
      return bits;
  }
}

double rounded(double value, Type type) {
  return type == Type::f32 ? static_cast<double>(static_cast<float>(value)) : value;
}

class Evaluation {
 public:
  Evaluation(const Launch& launch, const GuardFacts& facts) : launch_(launch), facts_(facts) {}

  std::optional<bool> truth(const GuardExpression& at) const {
    const auto found = value(at);
    if (!found) return std::nullopt;
    return is_floating(at.type) ? found->real != 0 : found->bits != 0;
  }

 private:
  static const GuardExpression& operand(const GuardExpression& at, std::size_t nth) {
    if (nth >= at.operands.size()) throw std::invalid_argument("guard: an operand is missing");
    return at.operands[nth];
  }
  static Value integer(std::uint64_t bits, Type type) { return {cut(bits, type), 0, {}}; }
  static Value boolean(bool value) { return {value ? std::uint64_t{1} : 0, 0, {}}; }

  std::optional<Value> value(const GuardExpression& at) const {
    switch (at.op) {
      case Op::constant:
        if (is_floating(at.type)) return Value{0, std::bit_cast<double>(at.bits), {}};
        return integer(at.bits, at.type);
      case Op::argument:
        return argument(at);
      case Op::grid:
      case Op::block: {
        if (at.index > 2) throw std::invalid_argument("guard: no such axis");
        return integer((at.op == Op::grid ? launch_.grid : launch_.block)[at.index], at.type);
      }
      case Op::dynamic_lds:
        return integer(launch_.dynamic_lds, at.type);
      case Op::convert:
        return converted(operand(at, 0), at.type);
      case Op::all:
      case Op::any:
        return joined(at);
      case Op::apart:
      case Op::readable:
        return asked(at);
      case Op::negative:
      case Op::logical_not:
      case Op::complement:
        return of_one(at);
      default:
        return of_two(at);
    }
  }

  std::optional<Value> argument(const GuardExpression& at) const {
    const auto offset = static_cast<std::uint32_t>(at.bits);
    const auto bits =
        facts_.argument ? facts_.argument(at.index, offset, bytes_of(at.type)) : std::nullopt;
    if (!bits) return std::nullopt;
    if (at.type == Type::pointer) {
      const auto lies = facts_.allocation ? facts_.allocation(at.index, offset) : std::nullopt;
      return Value{*bits, 0, lies.value_or(GuardFacts::Allocation{unknown_base, 0})};
    }
    if (at.type == Type::f64) return Value{0, std::bit_cast<double>(*bits), {}};
    if (at.type == Type::f32)
      return Value{0, std::bit_cast<float>(static_cast<std::uint32_t>(*bits)), {}};
    return integer(*bits, at.type);
  }

  static constexpr std::uint64_t unknown_base = ~std::uint64_t{0};

  std::optional<Value> converted(const GuardExpression& from, Type to) const {
    const auto found = value(from);
    if (!found) return std::nullopt;
    if (is_floating(from.type)) {
      if (is_floating(to)) return Value{0, rounded(found->real, to), {}};
      if (to == Type::boolean) return boolean(found->real != 0);
      return whole(found->real, to);
    }
    if (!is_floating(to)) return Value{cut(found->bits, to), 0, found->allocation};
    // Once, to the type itself: by way of a double it would be rounded twice.
    const bool negative = is_signed(from.type);
    const auto as_signed = static_cast<std::int64_t>(found->bits);
    if (to == Type::f32)
      return Value{
          0, negative ? static_cast<float>(as_signed) : static_cast<float>(found->bits), {}};
    return Value{
        0, negative ? static_cast<double>(as_signed) : static_cast<double>(found->bits), {}};
  }

  static Value whole(double real, Type to) {
    const double cutoff = std::trunc(real);
    const unsigned bits = bytes_of(to) * 8;
    const double least = is_signed(to) ? -std::ldexp(1.0, static_cast<int>(bits) - 1) : 0;
    const double beyond = std::ldexp(1.0, static_cast<int>(bits) - (is_signed(to) ? 1 : 0));
    if (!(cutoff >= least && cutoff < beyond))
      throw GuardFault("the guard converts a number to an integer that it does not fit");
    return integer(is_signed(to) ? static_cast<std::uint64_t>(static_cast<std::int64_t>(cutoff))
                                 : static_cast<std::uint64_t>(cutoff),
                   to);
  }

  /// What decides comes first: `d != 0 && n % d == 0` divides by no zero.
  std::optional<Value> joined(const GuardExpression& at) const {
    const bool decides = at.op == Op::any;
    const auto left = truth(operand(at, 0));
    if (left == decides) return boolean(decides);
    std::optional<bool> right;
    try {
      right = truth(operand(at, 1));
    } catch (const GuardFault&) {
      if (left) throw;
    }
    if (right == decides) return boolean(decides);
    if (!left || !right) return std::nullopt;
    return boolean(!decides);
  }

  std::optional<Value> asked(const GuardExpression& at) const {
    const auto first = value(operand(at, 0)), second = value(operand(at, 1));
    if (!first || first->allocation.base == unknown_base) return std::nullopt;
    // An address in no allocation: the host's question fails, whatever the other is.
    const auto inside = [](const Value& one) {
      return one.allocation.bytes > 0 && one.bits - one.allocation.base < one.allocation.bytes;
    };
    if (!inside(*first)) return boolean(false);
    if (!second) return std::nullopt;
    if (at.op == Op::apart) {
      if (second->allocation.base == unknown_base) return std::nullopt;
      return boolean(inside(*second) && first->allocation.base != second->allocation.base);
    }
    const auto left = first->allocation.bytes - (first->bits - first->allocation.base);
    return boolean(second->real <= static_cast<double>(left));
  }

  std::optional<Value> of_one(const GuardExpression& at) const {
    if (at.op == Op::logical_not) {
      const auto found = truth(operand(at, 0));
      if (!found) return std::nullopt;
      return boolean(!*found);
    }
    const auto found = value(operand(at, 0));
    if (!found) return std::nullopt;
    if (at.op == Op::complement) return integer(~found->bits, at.type);
    if (is_floating(at.type)) return Value{0, -found->real, {}};
    return integer(std::uint64_t{0} - found->bits, at.type);
  }

  std::optional<Value> of_two(const GuardExpression& at) const {
    const GuardExpression &a = operand(at, 0), &b = operand(at, 1);
    const auto left = value(a), right = value(b);
    if (!left || !right) return std::nullopt;
    if (at.op == Op::less || at.op == Op::at_most || at.op == Op::equal)
      return boolean(compares(at.op, a.type, *left, *right));
    if (is_floating(at.type)) return of_reals(at, left->real, right->real);
    auto result = integer(of_integers(at, left->bits, right->bits, b.type), at.type);
    if (at.type == Type::pointer) result.allocation = left->allocation;
    return result;
  }

  static bool compares(Op op, Type type, const Value& left, const Value& right) {
    const auto decide = [op](auto a, auto b) {
      return op == Op::less ? a < b : op == Op::at_most ? a <= b : a == b;
    };
    if (is_floating(type)) return decide(left.real, right.real);
    if (is_signed(type))
      return decide(static_cast<std::int64_t>(left.bits), static_cast<std::int64_t>(right.bits));
    return decide(left.bits, right.bits);
  }

  static Value of_reals(const GuardExpression& at, double a, double b) {
    switch (at.op) {
      case Op::sum:
        return {0, rounded(a + b, at.type), {}};
      case Op::difference:
        return {0, rounded(a - b, at.type), {}};
      case Op::product:
        return {0, rounded(a * b, at.type), {}};
      case Op::quotient:
        return {0, rounded(a / b, at.type), {}};
      default:
        throw std::invalid_argument("guard: floating-point numbers have no such operation");
    }
  }

  static std::uint64_t of_integers(const GuardExpression& at, std::uint64_t a, std::uint64_t b,
                                   Type shift) {
    const auto signed_a = static_cast<std::int64_t>(a), signed_b = static_cast<std::int64_t>(b);
    switch (at.op) {
      case Op::sum:
        return a + b;
      case Op::difference:
        return a - b;
      case Op::product:
        return a * b;
      case Op::quotient:
      case Op::remainder: {
        if (b == 0) throw GuardFault("the guard divides by zero");
        const auto least = std::uint64_t{1} << (bytes_of(at.type) * 8 - 1);
        if (!is_signed(at.type)) return at.op == Op::quotient ? a / b : a % b;
        if (signed_b == -1 && a == cut(least, at.type))
          throw GuardFault("the guard divides the least integer by -1");
        return static_cast<std::uint64_t>(at.op == Op::quotient ? signed_a / signed_b
                                                                : signed_a % signed_b);
      }
      case Op::shift_left:
      case Op::shift_right: {
        if ((is_signed(shift) && signed_b < 0) || b >= bytes_of(at.type) * 8)
          throw GuardFault("the guard shifts by more bits than there are");
        if (at.op == Op::shift_left) return a << b;
        return is_signed(at.type) ? static_cast<std::uint64_t>(signed_a >> b) : a >> b;
      }
      case Op::bit_and:
        return a & b;
      case Op::bit_or:
        return a | b;
      case Op::bit_xor:
        return a ^ b;
      default:
        throw std::invalid_argument("guard: integers have no such operation");
    }
  }

  const Launch& launch_;
  const GuardFacts& facts_;
};

void add_constants(const GuardExpression& at, std::vector<std::int64_t>& found) {
  if (at.op == Op::constant && at.type == Type::f64) {
    const double real = std::bit_cast<double>(at.bits);
    if (std::abs(real) < 0x1p62) found.push_back(static_cast<std::int64_t>(real));
  } else if (at.op == Op::constant) {
    found.push_back(static_cast<std::int64_t>(at.bits));
  }
  for (const auto& operand : at.operands) add_constants(operand, found);
}

}  // namespace

std::uint32_t bytes_of(Type type) {
  switch (type) {
    case Type::boolean:
    case Type::i8:
    case Type::u8:
      return 1;
    case Type::i16:
    case Type::u16:
      return 2;
    case Type::i32:
    case Type::u32:
    case Type::f32:
      return 4;
    default:
      return 8;
  }
}

std::optional<bool> holds(const GuardExpression& guard, const Launch& launch,
                          const GuardFacts& facts) {
  return Evaluation(launch, facts).truth(guard);
}

std::vector<std::int64_t> constants_in(const GuardExpression& guard) {
  std::vector<std::int64_t> found;
  add_constants(guard, found);
  std::ranges::sort(found);
  found.erase(std::ranges::unique(found).begin(), found.end());
  return found;
}

}  // namespace geak::support
