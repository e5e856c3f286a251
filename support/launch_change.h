#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "support/guard_expression.h"
#include "support/pass_rule.h"

namespace geak::support {

/// x, y and z of a grid (in workgroups) or of a workgroup (in work-items).
using Extent = std::array<std::uint32_t, 3>;

/// What a launch site decides: the shape of the grid, of a workgroup, and its dynamic LDS.
struct Launch {
  Extent grid{1, 1, 1};           ///< in workgroups
  Extent block{1, 1, 1};          ///< in work-items
  std::uint32_t dynamic_lds = 0;  ///< bytes for each workgroup

  bool operator==(const Launch&) const = default;
};

/// How a workgroup's size along one axis follows from the original's.
enum class BlockRule { keep, set, multiply, divide };

/// How the number of workgroups along one axis follows. `cover` takes as many workgroups as are
/// needed so that (new block) * value items each reach all of the original's grid * block items.
enum class GridRule { keep, set, multiply, divide, cover };

struct AxisChange {
  BlockRule block = BlockRule::keep;
  std::uint32_t block_value = 1;
  GridRule grid = GridRule::keep;
  std::uint32_t grid_value = 1;

  bool operator==(const AxisChange&) const = default;
};

/// New dynamic LDS = original (times new threads / old threads if `scale_with_block`) + bytes_added
/// + bytes_per_thread * new threads; in bytes for each workgroup.
struct LdsChange {
  bool scale_with_block = false;
  std::uint32_t bytes_added = 0;
  std::uint32_t bytes_per_thread = 0;

  bool operator==(const LdsChange&) const = default;
};

/// One condition on the *original* launch and its arguments. All must hold for the variant to run.
struct Condition {
  enum class Kind {
    block_equals,        ///< block[index] == value
    block_multiple,      ///< block[index] % value == 0
    grid_equals,         ///< grid[index] == value
    items_multiple,      ///< (grid[index] * block[index]) % value == 0
    argument_equals,     ///< argument[index] == value
    argument_multiple,   ///< argument[index] % value == 0
    argument_at_least,   ///< argument[index] >= value
    argument_at_most,    ///< argument[index] <= value
    argument_aligned,    ///< the pointer argument[index] is a multiple of value bytes
    arguments_distinct,  ///< the pointers argument[index] and argument[value] differ
  };
  Kind kind = Kind::block_equals;
  std::uint32_t index = 0;  ///< axis (0 to 2) or the parameter's position
  std::int64_t value = 0;

  bool operator==(const Condition&) const = default;
};

/// Value of the kernel's argument at a position, if it is an integer or a pointer of a known value.
using ArgumentValues = std::function<std::optional<std::int64_t>(std::uint32_t position)>;

/// How the launch of a variant follows from the launch of the original. One struct, two renderings:
/// numbers (replay) and C++ (launch sites); the second is clang-tool's (swap).
struct LaunchChange {
  std::array<AxisChange, 3> axes;
  LdsChange lds;
  std::vector<Condition> conditions;
  /// Set where one launch of the variant stands for several consecutive ones of the original. Where
  /// fewer than two can be put together, and at launches in no loop over the passes, the original
  /// runs.
  std::optional<PassRule> passes;
  /// What the judge asks beside the conditions: the variant's guard (clang_tool::Variant::guard) as
  /// its unit's compiler understands it. It follows from the guard's text and the unit, is made for
  /// each trial anew, and neither stored nor part of a variant's name. `apply` does not ask it.
  std::optional<GuardExpression> guard;

  /// True where the variant is launched exactly as the original is.
  bool keeps_launch() const;

  /// The launch of the variant, or nothing (and why, in `problem`) where it may not run: a
  /// condition fails or needs an argument of unknown value, a division leaves a rest, a workgroup
  /// would exceed 1024 work-items, an extent would be 0 or overflow.
  std::optional<Launch> apply(const Launch& original, const ArgumentValues& arguments,
                              std::string* problem = nullptr) const;

  bool operator==(const LaunchChange&) const = default;
};

void to_json(nlohmann::json& json, const Launch& launch);
void from_json(const nlohmann::json& json, Launch& launch);
/// Only what differs from "launched as the original" is written. Reading throws
/// nlohmann::json::exception or std::invalid_argument for names or values that it does not know.
void to_json(nlohmann::json& json, const LaunchChange& change);
void from_json(const nlohmann::json& json, LaunchChange& change);

}  // namespace geak::support
