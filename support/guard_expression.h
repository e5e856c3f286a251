#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace geak::support {

struct Launch;

/// The condition under which a variant may run, as the host's compiler understands its text: each
/// operation with the type that it is done in, conversions written out.
struct GuardExpression {
  enum class Type { boolean, i8, u8, i16, u16, i32, u32, i64, u64, f32, f64, pointer };
  /// Names are those of the JSON (`op`).
  enum class Op {
    constant,     ///< `bits` (of a floating-point number those of the double)
    argument,     ///< `type` at byte `bits` of the kernel's argument `index`
    grid,         ///< of the original launch along axis `index`, in workgroups
    block,        ///< the same in work-items
    dynamic_lds,  ///< bytes
    convert,      ///< of one operand to `type`
    negative,     ///< -a
    logical_not,  ///< !a
    complement,   ///< ~a
    sum,          ///< a + b; of a pointer and bytes, too
    difference,   ///< a - b; of a pointer and bytes, too
    product,      ///< a * b
    quotient,     ///< a / b
    remainder,    ///< a % b
    shift_left,   ///< a << b
    shift_right,  ///< a >> b
    less,         ///< a < b
    at_most,      ///< a <= b
    equal,        ///< a == b
    bit_and,      ///< a & b
    bit_or,       ///< a | b
    bit_xor,      ///< a ^ b
    all,          ///< a && b
    any,          ///< a || b
    apart,        ///< two addresses lie in different allocations
    readable,     ///< so many bytes (a double) from an address on lie in its allocation
  };
  Op op = Op::constant;
  Type type = Type::boolean;
  std::uint32_t index = 0;
  std::uint64_t bits = 0;
  std::vector<GuardExpression> operands;

  bool operator==(const GuardExpression&) const = default;
};

/// What is known of a launch. What is not known is nothing, and so is what follows from it alone.
struct GuardFacts {
  /// Bytes of an argument, the lowest first; at most 8.
  std::function<std::optional<std::uint64_t>(std::uint32_t position, std::uint32_t offset,
                                             std::uint32_t bytes)>
      argument;
  struct Allocation {
    std::uint64_t base = 0, bytes = 0;  ///< no bytes: the address lies in none
  };
  /// Where an argument's word holds an address, in which allocation it lies; it moves with the
  /// argument even where the numbers meet.
  std::function<std::optional<Allocation>(std::uint32_t position, std::uint32_t offset)> allocation;
};

/// The condition cannot be evaluated as the host would: it divides by zero, shifts too far, or a
/// number does not fit what it is converted to. On a real host that may end the program.
class GuardFault : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Whether the condition holds on the original's `launch`; nothing where that depends on what is
/// not known. Throws GuardFault; std::invalid_argument for an expression of the wrong form.
std::optional<bool> holds(const GuardExpression& guard, const Launch& launch,
                          const GuardFacts& facts);

/// Bytes of a value.
std::uint32_t bytes_of(GuardExpression::Type type);

/// Numbers that stand in it: what a launch's values are compared with.
std::vector<std::int64_t> constants_in(const GuardExpression& guard);

void to_json(nlohmann::json& json, const GuardExpression& guard);
/// Throws nlohmann::json::exception or std::invalid_argument.
void from_json(const nlohmann::json& json, GuardExpression& guard);

}  // namespace geak::support
