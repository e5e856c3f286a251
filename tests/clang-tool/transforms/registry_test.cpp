#include <gmock/gmock.h>

#include <set>

#include "clang-tool/transforms/transform.h"

namespace geak::clang_tool::transforms {
namespace {

TEST(Registry, EveryTransformHasANameOfItsOwnAndAnAxisByIt) {
  const auto& axes = axes_of_transforms();
  EXPECT_EQ(axes.size(), all_transforms().size());
  std::set<Axis> used;
  for (const Transform* transform : all_transforms()) {
    EXPECT_EQ(find_transform(transform->name()), transform);
    ASSERT_TRUE(axes.contains(transform->name()));
    EXPECT_EQ(axes.at(transform->name()), transform->axis());
    used.insert(transform->axis());
  }
  EXPECT_EQ(used, (std::set{Axis::memory, Axis::compute, Axis::parallelism}));
  EXPECT_EQ(find_transform("no such transform"), nullptr);
}

}  // namespace
}  // namespace geak::clang_tool::transforms
