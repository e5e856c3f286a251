// Another workgroup size or shape, for kernels that only ask for the number of their item, or whose
// workgroups share out rounds: rows of a wavefront's width make accesses neighbouring, other sizes
// fill the device better.
#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/Decl.h>

#include <algorithm>

#include "clang-tool/transforms/builtin_transforms.h"
#include "clang-tool/transforms/conditions.h"
#include "clang-tool/transforms/element_rounds.h"
#include "clang-tool/transforms/global_index.h"
#include "clang-tool/transforms/launch_axis.h"

namespace geak::clang_tool::transforms {
namespace {

using nlohmann::json;
using support::Extent;

class BlockShape final : public Transform {
 public:
  std::string name() const override { return "block_shape"; }
  Axis axis() const override { return Axis::parallelism; }
  std::string summary() const override {
    return "launches workgroups of another shape over the same items";
  }

  /// {"block": [64, 4, 1]}
  std::vector<json> parameters(const KernelView& kernel) const override {
    std::vector<json> choices;
    const auto block = kernel.block();
    if (!block) return choices;
    const bool flat = (*block)[1] == 1 && (*block)[2] == 1;
    const std::vector<Extent> shapes =
        flat ? std::vector<Extent>{{64, 1, 1}, {128, 1, 1}, {256, 1, 1}, {512, 1, 1}, {1024, 1, 1}}
             : std::vector<Extent>{{64, 4, 1},  {64, 1, 1}, {64, 2, 1}, {128, 2, 1},
                                   {256, 1, 1}, {32, 8, 1}, {64, 8, 1}, {64, 16, 1}};
    for (const Extent& shape : shapes)
      if (shape != *block) choices.push_back({{"block", shape}});
    return choices;
  }

  std::optional<Refusal> apply(const KernelView& kernel, const json& parameters,
                               Draft& draft) const override {
    const auto shape = parameters.at("block").get<Extent>();
    const auto block = kernel.block();
    const auto original = kernel.original_block();
    if (!block || !original) return Refusal{"the launches seen differ in workgroup size"};
    const std::uint64_t threads = std::uint64_t{shape[0]} * shape[1] * shape[2];
    if (threads == 0 || threads > 1024) return Refusal{"a workgroup has 1 to 1024 work-items"};
    if (shape == *block) return Refusal{"workgroups have this shape already"};
    if (draft.block_is_fixed) return Refusal{"an earlier step relies on the workgroup's size"};
    if (kernel.written.hasAttr<clang::CUDALaunchBoundsAttr>() ||
        kernel.written.hasAttr<clang::AMDGPUFlatWorkGroupSizeAttr>())
      return Refusal{"the kernel states its launch bounds"};
    if (auto refusal = tied_to_workgroup(kernel)) return refusal;
    for (unsigned axis = 0; axis < 3; ++axis)
      if (shape[axis] != (*block)[axis])
        if (auto refusal = change_axis(kernel, axis, shape[axis], draft)) return refusal;
    if (auto none = no_launch_runs(
            kernel, draft,
            "the grids seen do not divide evenly, and no early return stops extra items"))
      return none;
    return std::nullopt;
  }

 private:
  static std::optional<Refusal> change_axis(const KernelView& kernel, unsigned axis,
                                            std::uint32_t size, Draft& draft) {
    auto found = global_index(kernel, axis, draft);
    if (auto* refusal = std::get_if<Refusal>(&found)) {
      if (axis != 0) return *refusal;
      const auto spread = rounds_for_any_block(kernel, draft);
      if (std::holds_alternative<Refusal>(spread)) return *refusal;
      return std::get<ElementRounds::Spread>(spread) == ElementRounds::Spread::grid
                 ? set_block(axis, size, draft)
                 : set_block_alone(axis, size, draft);
    }
    const auto guard = extra_items_return(kernel, std::get<GlobalIndex>(found), 1024);
    if (guard)
      draft.require(*guard);
    else
      draft.require({support::Condition::Kind::items_multiple, axis, size});
    return set_block(axis, size, draft);
  }
};

}  // namespace

const Transform& block_shape() {
  static const BlockShape transform;
  return transform;
}

}  // namespace geak::clang_tool::transforms
