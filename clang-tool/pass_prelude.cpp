#include <algorithm>

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

std::string render_passes(const support::PassRule& rule) {
  std::string ops, accesses;
  for (const auto& op : rule.ops)
    ops += "{" + std::to_string(op.kind) + ", " + std::to_string(op.left) + ", " +
           std::to_string(op.right) + ", " + std::to_string(op.value) + "ll, " +
           std::to_string(op.bits) + ", " + (op.is_signed ? "true" : "false") + "}, ";
  for (const auto& access : rule.accesses)
    accesses += "{" + std::to_string(access.op) + ", " + std::to_string(access.memory) + "}, ";
  const std::string most = std::to_string(rule.most) + "u";
  return "      static const geak_swap::PassOp geak_ops[] = {" + ops +
         "};\n      static const geak_swap::PassAccess geak_accesses[] = {" + accesses +
         "};\n      const unsigned geak_n = geak_swap::count_passes(geak_ops, " +
         std::to_string(rule.ops.size()) + ", geak_accesses, " +
         std::to_string(rule.accesses.size()) + ", " + std::to_string(rule.argument) + ", " +
         std::to_string(rule.advance) + ", " + std::to_string(rule.step) +
         "ll, geak_shape, geak_arguments, geak_left < " + most + " ? geak_left : " + most + ");\n";
}

}  // namespace geak::clang_tool
