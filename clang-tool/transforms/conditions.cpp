#include "clang-tool/transforms/conditions.h"

namespace geak::clang_tool::transforms {
using Kind = support::Condition::Kind;

void require_block_axis(unsigned axis, std::uint32_t size, Draft& draft) {
  draft.require({Kind::block_equals, axis, size});
}

void require_block(const support::Extent& block, Draft& draft) {
  for (unsigned axis = 0; axis < 3; ++axis) require_block_axis(axis, block[axis], draft);
}

void require_argument(unsigned position, std::int64_t value, Draft& draft) {
  draft.require({Kind::argument_equals, position, value});
}

}  // namespace geak::clang_tool::transforms
