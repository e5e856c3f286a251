#pragma once

#include <cstdint>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace geak::support {

struct Launch;

namespace pass_rule {
#include "support/pass_rule_evaluator.inc"
}  // namespace pass_rule

/// One launch that does the work of several consecutive ones, which differ in one argument alone:
/// the passes. A workgroup goes from one pass to the next by a barrier of its own, which is enough
/// where no workgroup meets what another one touches in any of the passes: the rule tells for how
/// many passes that holds. The argument of such a launch is (first pass) + (passes << 16).
struct PassRule {
  std::uint32_t argument = 0;  ///< position of the integer that numbers the passes
  int advance = pass_rule::advance_add;
  std::int64_t step = 1;   ///< a pass's number follows from the one before by `advance`
  std::uint32_t most = 1;  ///< passes of one launch at most
  std::vector<pass_rule::PassOp> ops;
  std::vector<pass_rule::PassAccess> accesses;  ///< of buffers that the kernel writes
  /// Buffers of which the variant keeps each workgroup's part in LDS; the rest stays in memory.
  std::vector<pass_rule::PassWindow> windows;

  /// How many passes one launch may do from the first on, which `arguments` holds; 0 or 1: none
  /// together. `arguments` by position, 0 for what is no integer.
  std::uint32_t passes(const Launch& launch, std::vector<std::int64_t> arguments) const;
  /// The pass's number after that of `value`.
  std::int64_t after(std::int64_t value) const;
  /// What the argument holds in a launch of several passes.
  static std::int64_t packed(std::int64_t first, std::uint32_t passes);

  bool operator==(const PassRule& other) const;
};

void to_json(nlohmann::json& json, const PassRule& rule);
/// Throws nlohmann::json::exception or std::invalid_argument for what is no rule.
void from_json(const nlohmann::json& json, PassRule& rule);

}  // namespace geak::support
