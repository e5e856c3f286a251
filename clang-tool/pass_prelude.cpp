#include "clang-tool/swap_prelude.h"

namespace geak::clang_tool {
namespace {

constexpr const char* evaluator =
#include "pass_rule_evaluator_text.inc"
    ;

}  // namespace

std::string pass_prelude() {
  return std::string(
             "#ifndef GEAK_SWAP_PASSES\n#define GEAK_SWAP_PASSES\n#pragma clang diagnostic push\n"
             "#pragma clang diagnostic ignored \"-Weverything\"\nnamespace geak_swap {\n") +
         evaluator + "}\n#pragma clang diagnostic pop\n#endif\n";
}

namespace {

/// An array of this type and its length, as two members of a PassTable; `rows` may be none.
std::string table(const std::string& type, const std::string& name, const std::string& rows,
                  std::string& arrays) {
  if (rows.empty()) return "0, 0, ";
  arrays += "      static const geak_swap::" + type + " " + name + "[] = {" + rows + "};\n";
  return name + ", (int)(sizeof " + name + " / sizeof *" + name + "), ";
}

}  // namespace

std::string render_passes(const support::PassRule& rule) {
  std::string ops, accesses, windows;
  for (const auto& op : rule.ops)
    ops += "{" + std::to_string(op.kind) + ", " + std::to_string(op.left) + ", " +
           std::to_string(op.right) + ", " + std::to_string(op.value) + "ll, " +
           std::to_string(op.bits) + ", " + (op.is_signed ? "true" : "false") + "}, ";
  for (const auto& access : rule.accesses)
    accesses += "{" + std::to_string(access.op) + ", " + std::to_string(access.memory) + "}, ";
  for (const auto& window : rule.windows)
    windows +=
        "{" + std::to_string(window.memory) + ", " + std::to_string(window.elements) + "ll}, ";
  const std::string most = std::to_string(rule.most) + "u";
  std::string arrays;
  const std::string members = table("PassOp", "geak_ops", ops, arrays) +
                              table("PassAccess", "geak_accesses", accesses, arrays) +
                              table("PassWindow", "geak_windows", windows, arrays);
  return arrays + "      const geak_swap::PassTable geak_table = {" + members +
         std::to_string(rule.argument) + ", " + std::to_string(rule.advance) + ", " +
         std::to_string(rule.step) +
         "ll};\n      const unsigned geak_n = geak_swap::count_passes(geak_table, geak_shape, "
         "geak_arguments, geak_left < " +
         most + " ? geak_left : " + most + ");\n";
}

}  // namespace geak::clang_tool
