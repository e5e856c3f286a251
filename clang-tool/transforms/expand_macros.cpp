// Puts in place of the project's macros what they stand for: other transforms change text, and what
// comes out of a macro has none of its own in the kernel. Nothing is gained by it alone.
#include <clang/AST/Decl.h>
#include <clang/Basic/SourceManager.h>

#include "clang-tool/macro_text.h"
#include "clang-tool/transforms/builtin_transforms.h"

namespace geak::clang_tool::transforms {
namespace {

using nlohmann::json;

std::optional<ExpandedText> expanded_text(const KernelView& kernel) {
  const clang::SourceManager& sources = kernel.unit.sources();
  const clang::FileID file =
      sources.getFileID(sources.getExpansionLoc(kernel.written.getLocation()));
  return expand_macros(kernel.unit, file, kernel.text.begin, kernel.text.end);
}

class ExpandMacros final : public Transform {
 public:
  std::string name() const override { return "expand_macros"; }
  Axis axis() const override { return Axis::compute; }
  std::string summary() const override {
    return "puts the text of the project's macros in place of their uses, for other steps to see";
  }

  std::vector<json> parameters(const KernelView& kernel) const override {
    const auto text = expanded_text(kernel);
    if (text && text->expanded == 0 && text->left.empty()) return {};
    return {json::object()};
  }

  std::optional<Refusal> apply(const KernelView& kernel, const json&, Draft& draft) const override {
    auto text = expanded_text(kernel);
    if (!text) return Refusal{"the kernel's text has directives that define macros"};
    if (text->expanded == 0)
      return Refusal{text->left.empty() ? "the kernel uses no macro of the project's own"
                                        : text->left};
    draft.text = std::move(text->text);
    return std::nullopt;
  }
};

}  // namespace

const Transform& expand_macros() {
  static const ExpandMacros transform;
  return transform;
}

}  // namespace geak::clang_tool::transforms
