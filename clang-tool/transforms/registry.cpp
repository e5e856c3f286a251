#include "clang-tool/transforms/builtin_transforms.h"
#include "clang-tool/transforms/transform.h"

namespace geak::clang_tool::transforms {

const std::vector<const Transform*>& all_transforms() {
  static const std::vector<const Transform*> transforms = {
      &wide_elements(),   &fuse_launches(),  &team_search(),       &team_rows(),
      &keep_rows(),       &wave_scan(),      &wave_tail(),         &pad_lds(),
      &coarsen(),         &coarsen_digit(),  &interior(),          &wide_loads(),
      &batch_rounds(),    &prefetch_tiles(), &joint_conditions(),  &specialize(),
      &block_shape(),     &launch_bounds(),  &restrict_pointers(), &inline_calls(),
      &unroll(),          &skip_quiet(),     &stage_tiles(),       &single_precision(),
      &collect_atomics(), &early_exit(),     &expand_macros(),     &for_loops(),
      &single_round(),    &fast_math(),      &constant_division(), &narrow_index()};
  return transforms;
}

const Transform* find_transform(const std::string& name) {
  for (const Transform* transform : all_transforms())
    if (transform->name() == name) return transform;
  return nullptr;
}

const std::map<std::string, Axis>& axes_of_transforms() {
  static const std::map<std::string, Axis> axes = [] {
    std::map<std::string, Axis> all;
    for (const Transform* transform : all_transforms())
      all.emplace(transform->name(), transform->axis());
    return all;
  }();
  return axes;
}

}  // namespace geak::clang_tool::transforms
