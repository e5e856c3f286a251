#include "clang-tool/transforms/pass_windows.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>

#include "clang-tool/transforms/pass_values.h"
#include "clang-tool/transforms/readable_range.h"

namespace geak::clang_tool::transforms {
namespace {

/// Half of what a workgroup may have, so that a compute unit holds two.
constexpr unsigned most_lds = 32 * 1024;

/// Text of how many workgroups the variant is launched with.
std::string groups(const support::AxisChange& axis, unsigned block) {
  const std::string value = std::to_string(axis.grid_value) + "ull";
  switch (axis.grid) {
    case support::GridRule::keep:
      return "(unsigned long long)geak_grid.x";
    case support::GridRule::set:
      return value;
    case support::GridRule::multiply:
      return "(unsigned long long)geak_grid.x * " + value;
    case support::GridRule::divide:
      return "(unsigned long long)geak_grid.x / " + value;
    case support::GridRule::cover: {
      const std::string each = "(" + std::to_string(block) + "ull * " + value + ")";
      return "((unsigned long long)geak_grid.x * geak_block.x + " + each + " - 1) / " + each;
    }
  }
  return "0";
}

}  // namespace

bool PassWindows::add(const clang::ParmVarDecl& buffer, unsigned elements) {
  const clang::ASTContext& context = kernel_.unit.context();
  const clang::QualType type =
      buffer.getType()->getPointeeType().getCanonicalType().getUnqualifiedType();
  if (!type->isArithmeticType() || type->isBooleanType()) return false;
  const auto bytes = static_cast<unsigned>(context.getTypeSizeInChars(type).getQuantity());
  const char* bits = bytes == 1   ? "unsigned char"
                     : bytes == 2 ? "unsigned short"
                     : bytes == 4 ? "unsigned"
                     : bytes == 8 ? "unsigned long long"
                                  : nullptr;
  if (bits == nullptr) return false;
  const std::string name = buffer.getNameAsString();
  TextEdits edits = edits_;
  for (const clang::ArraySubscriptExpr* element : elements_of(kernel_, buffer)) {
    const auto range = kernel_.source.range(*element);
    const std::string index = kernel_.source.text(*element->getIdx());
    if (!range || index.empty()) return false;
    // The difference is within the window, so 32 bits of either are enough.
    edits.replace(*range,
                  "geak_window_" + name + "[(unsigned)(" + index + ") - geak_base_" + name + "]");
  }
  edits_ = std::move(edits);
  windows_.push_back({name, type.getAsString(context.getPrintingPolicy()), bits, elements, bytes});
  return true;
}

bool PassWindows::fits_lds() const {
  unsigned bytes = 0;
  for (const Window& window : windows_) bytes += window.elements * window.bytes;
  return bytes <= most_lds;
}

void PassWindows::require(Draft& draft) const {
  for (const Window& window : windows_)
    draft.require(
        readable(window.buffer, "(double)(" + groups(draft.launch.axes[0], block_) + ") * " +
                                    std::to_string(window.elements * window.bytes) + ".0"));
}

std::string PassWindows::parameters() const {
  std::string text;
  for (const Window& window : windows_)
    text += ", " + window.type + "* geak_window_" + window.buffer + ", unsigned geak_base_" +
            window.buffer;
  return text;
}

std::string PassWindows::arguments() const {
  std::string text;
  for (const Window& window : windows_)
    text += ", geak_window_" + window.buffer + ", geak_base_" + window.buffer;
  return text;
}

std::string PassWindows::pass_body() const {
  const auto body = kernel_.source.range(kernel_.body());
  return body ? edits_.apply(kernel_.source.text(), *body) : std::string();
}

/// `statements` for each of a work-item's elements: `geak_at` in the window, `geak_k` of its own.
std::string PassWindows::each(const std::string& statements, const Window& window) const {
  return "#pragma unroll\nfor (unsigned geak_k = 0; geak_k < " +
         std::to_string(window.elements / block_) +
         "u; ++geak_k) {\nconst unsigned geak_at = " + "geak_k * " + std::to_string(block_) +
         "u + threadIdx.x;\n" + statements + "}\n";
}

std::string PassWindows::load() const {
  std::string text;
  for (const Window& window : windows_) {
    const auto& [buffer, type, bits, elements, bytes] = window;
    const std::string size = std::to_string(elements);
    text +=
        "__shared__ " + type + " geak_window_" + buffer + "[" + size + "];\n" + type +
        " geak_old_" + buffer + "[" + std::to_string(elements / block_) +
        "];\nconst unsigned geak_base_" + buffer + " = blockIdx.x * " + size + "u;\n" +
        each("geak_window_" + buffer + "[geak_at] = geak_old_" + buffer + "[geak_k] = " + buffer +
                 "[(unsigned long long)blockIdx.x * " + size + "u + geak_at];\n",
             window);
  }
  return text + "__syncthreads();\n";
}

std::string PassWindows::store() const {
  std::string text = "__syncthreads();\n";
  for (const Window& window : windows_) {
    const auto& [buffer, type, bits, elements, bytes] = window;
    text += each("const " + type + " geak_new = geak_window_" + buffer +
                     "[geak_at];\nif (__builtin_bit_cast(" + bits +
                     ", geak_new) != __builtin_bit_cast(" + bits + ", geak_old_" + buffer +
                     "[geak_k])) " + buffer + "[(unsigned long long)blockIdx.x * " +
                     std::to_string(elements) + "u + geak_at] = geak_new;\n",
                 window);
  }
  return text;
}

}  // namespace geak::clang_tool::transforms
