#pragma once

#include <string>

#include "support/launch_change.h"

namespace geak::clang_tool {

/// Lines that every rewritten file starts with: whether geak is enabled, and how a LaunchChange is
/// applied on the host. C++11, no names outside of namespace geak_swap, once for each unit.
std::string swap_prelude();

/// A C++ condition, in terms of swap_prelude(), that holds where `change` may be made to the launch
/// in `geak_grid`, `geak_block`, `geak_lds`; as it holds, `geak_g`, `geak_b` (copies of grid and
/// block) and `geak_l` (of LDS) become the variant's launch. `parameters`: the kernel's, by
/// position. Throws std::invalid_argument for a condition on a parameter that does not exist.
std::string render(const support::LaunchChange& change, const std::vector<std::string>& parameters);

/// What swap_prelude() leaves out because only launches of several passes need it: the text of
/// support/pass_rule_evaluator.inc in namespace geak_swap.
std::string pass_prelude();

/// Lines that define `geak_n`, how many passes the rule allows: of `geak_left` in `geak_shape` with
/// `geak_arguments`.
std::string render_passes(const support::PassRule& rule);

}  // namespace geak::clang_tool
