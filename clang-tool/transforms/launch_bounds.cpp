// States the workgroup's size, so that the compiler knows how many registers a work-item may have.
#include <clang/AST/Attr.h>
#include <clang/AST/Decl.h>

#include "clang-tool/transforms/ast_queries.h"
#include "clang-tool/transforms/builtin_transforms.h"
#include "clang-tool/transforms/conditions.h"

namespace geak::clang_tool::transforms {
namespace {

/// What the compiler assumes where nothing is stated.
constexpr std::uint32_t default_threads = 1024;

class LaunchBounds final : public Transform {
 public:
  std::string name() const override { return "launch_bounds"; }
  Axis axis() const override { return Axis::parallelism; }
  std::string summary() const override {
    return "states the workgroup's size, which frees registers for each work-item";
  }

  std::vector<nlohmann::json> parameters(const KernelView&) const override {
    return {nlohmann::json::object()};
  }

  std::optional<Refusal> apply(const KernelView& kernel, const nlohmann::json&,
                               Draft& draft) const override {
    const auto block = kernel.block();
    const auto original = kernel.original_block();
    if (!block || !original) return Refusal{"the launches seen differ in workgroup size"};
    const std::uint32_t threads = (*block)[0] * (*block)[1] * (*block)[2];
    // Other compilers than clang assume nothing, and workgroups that were made this large must fit.
    if (threads >= default_threads && *block == *original)
      return Refusal{"workgroups are of the size that is assumed anyway"};
    if (kernel.written.hasAttr<clang::CUDALaunchBoundsAttr>() ||
        kernel.written.hasAttr<clang::AMDGPUFlatWorkGroupSizeAttr>())
      return Refusal{"the kernel states launch bounds already"};
    const auto name = kernel.source.offset(kernel.written.getLocation());
    if (!name) return Refusal{"the kernel's name stands in a macro"};
    TextEdits edits;
    edits.insert(*name, "__launch_bounds__(" + std::to_string(threads) + ") ");
    draft.text = edits.apply(kernel.source.text(), kernel.text);
    require_block(*original, draft);
    draft.block_is_fixed = true;
    return std::nullopt;
  }
};

}  // namespace

const Transform& launch_bounds() {
  static const LaunchBounds transform;
  return transform;
}

}  // namespace geak::clang_tool::transforms
