#pragma once

#include "clang-tool/transforms/transform.h"

/// One function for each transform of geak's own; each lives in the file of its name.
namespace geak::clang_tool::transforms {

const Transform& launch_bounds();
const Transform& pad_lds();
const Transform& restrict_pointers();
const Transform& unroll();
const Transform& specialize();
const Transform& inline_calls();
const Transform& coarsen();
const Transform& coarsen_digit();
const Transform& interior();
const Transform& wide_loads();
const Transform& wide_elements();
const Transform& joint_conditions();
const Transform& batch_rounds();
const Transform& block_shape();
const Transform& fuse_launches();
const Transform& wave_tail();
const Transform& wave_scan();
const Transform& prefetch_tiles();
const Transform& single_precision();
const Transform& fast_math();
const Transform& skip_quiet();
const Transform& stage_tiles();
const Transform& team_rows();
const Transform& keep_rows();
const Transform& team_search();
const Transform& collect_atomics();
const Transform& early_exit();
const Transform& expand_macros();
const Transform& for_loops();
const Transform& single_round();
const Transform& constant_division();
const Transform& narrow_index();

}  // namespace geak::clang_tool::transforms
