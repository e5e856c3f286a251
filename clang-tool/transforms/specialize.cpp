// Puts values that every launch seen has (arguments, the workgroup's size) into the kernel as
// constants: loops get known ends, divisions and products fold. A guard keeps the original for
// other values.
#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>

#include <algorithm>

#include "clang-tool/transforms/ast_queries.h"
#include "clang-tool/transforms/builtin_transforms.h"
#include "clang-tool/transforms/conditions.h"

namespace geak::clang_tool::transforms {
namespace {

using nlohmann::json;

/// Launches that weigh most: those of the largest number of work-items.
std::optional<std::int64_t> value_of_largest(const KernelView& kernel, unsigned position) {
  std::uint64_t most = 0;
  std::optional<std::int64_t> value;
  for (const SeenLaunch& seen : kernel.seen) {
    const auto& [grid, block, lds] = seen.launch;
    const std::uint64_t items =
        std::uint64_t{grid[0]} * grid[1] * grid[2] * block[0] * block[1] * block[2];
    if (position >= seen.arguments.size() || !seen.arguments[position]) return std::nullopt;
    if (items > most) {
      most = items;
      value = seen.arguments[position];
    } else if (items == most && seen.arguments[position] != value) {
      return std::nullopt;
    }
  }
  return value;
}

class Specializer {
 public:
  Specializer(const KernelView& kernel, Draft& draft) : kernel_(kernel), draft_(draft) {}

  std::optional<Refusal> fix_argument(unsigned position, std::int64_t value) {
    if (position >= kernel_.function.getNumParams())
      return Refusal{"the kernel has no parameter " + std::to_string(position)};
    const clang::ParmVarDecl& parameter = *kernel_.function.getParamDecl(position);
    const std::string name = parameter.getNameAsString();
    const clang::QualType type = parameter.getType().getCanonicalType().getUnqualifiedType();
    if (!type->isIntegerType()) return Refusal{name + " is no integer"};
    if (may_change(kernel_.body(), parameter)) return Refusal{name + " is changed by the kernel"};
    const std::string constant = literal(type, value);
    bool all = true;
    walk(kernel_.body(), [&](const clang::Stmt& node, const Ancestors&) {
      const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&node);
      if (reference == nullptr || reference->getDecl() != &parameter) return true;
      all = replace(node, constant) && all;
      return true;
    });
    if (!all) return Refusal{name + " is used within a macro"};
    require_argument(position, value, draft_);
    return std::nullopt;
  }

  std::optional<Refusal> fix_block() {
    const auto block = kernel_.block();
    const auto original = kernel_.original_block();
    if (!block || !original) return Refusal{"the launches seen differ in workgroup size"};
    for (const LaunchIndexUse& use : launch_index_uses(kernel_.body())) {
      if (use.index.value != LaunchValue::block_size) continue;
      const std::string constant = std::to_string((*block)[use.index.axis]) + "u";
      // The use's own casts, if it has any, come out of the text with it: keep them.
      if (!replace(stripped(*use.expression), constant))
        return Refusal{"blockDim is used within a macro"};
      require_block_axis(use.index.axis, (*original)[use.index.axis], draft_);
      draft_.block_is_fixed = true;
    }
    return std::nullopt;
  }

  std::optional<Refusal> finish() {
    if (edits_.empty()) return Refusal{"the kernel uses none of these values"};
    draft_.text = edits_.apply(kernel_.source.text(), kernel_.text);
    return std::nullopt;
  }

 private:
  /// The value as a literal of the parameter's type, fit for any place in an expression.
  std::string literal(clang::QualType type, std::int64_t value) const {
    if (type->isBooleanType()) return value != 0 ? "true" : "false";
    const std::string digits = std::to_string(value);
    const bool negative = value < 0;
    if (type == kernel_.unit.context().IntTy) return negative ? "(" + digits + ")" : digits;
    if (type == kernel_.unit.context().UnsignedIntTy && !negative) return digits + "u";
    return "((" + type.getAsString(kernel_.unit.context().getPrintingPolicy()) + ")" + digits +
           "ll)";
  }

  bool replace(const clang::Stmt& node, const std::string& text) {
    const auto range = kernel_.source.range(node);
    if (!range) return false;
    edits_.replace(*range, text);
    return true;
  }

  const KernelView& kernel_;
  Draft& draft_;
  TextEdits edits_;
};

class Specialize final : public Transform {
 public:
  std::string name() const override { return "specialize"; }
  Axis axis() const override { return Axis::compute; }
  std::string summary() const override {
    return "makes argument values and workgroup sizes seen in the record constants";
  }

  /// {"arguments": {"2": 64}, "block": true}
  std::vector<json> parameters(const KernelView& kernel) const override {
    json same = json::object();
    json largest = json::object();
    for (unsigned i = 0; i < kernel.function.getNumParams(); ++i) {
      const clang::ParmVarDecl& parameter = *kernel.function.getParamDecl(i);
      if (!parameter.getType()->isIntegerType() || may_change(kernel.body(), parameter)) continue;
      if (const auto value = kernel.argument(i)) same[std::to_string(i)] = *value;
      if (const auto value = value_of_largest(kernel, i)) largest[std::to_string(i)] = *value;
    }
    std::vector<json> choices;
    const auto offer = [&](const json& arguments, bool block) {
      json choice = json::object();
      if (!arguments.empty()) choice["arguments"] = arguments;
      if (block) choice["block"] = true;
      if (!choice.empty() && std::ranges::find(choices, choice) == choices.end())
        choices.push_back(choice);
    };
    offer(same, true);
    offer(largest, true);
    offer(json::object(), true);
    offer(same, false);
    for (const auto& [position, value] : same.items()) offer(json{{position, value}}, false);
    return choices;
  }

  std::optional<Refusal> apply(const KernelView& kernel, const json& parameters,
                               Draft& draft) const override {
    Specializer specializer(kernel, draft);
    const json arguments = parameters.value("arguments", json::object());
    for (const auto& [position, value] : arguments.items())
      if (auto refusal = specializer.fix_argument(static_cast<unsigned>(std::stoul(position)),
                                                  value.get<std::int64_t>()))
        return refusal;
    if (parameters.value("block", false))
      if (auto refusal = specializer.fix_block()) return refusal;
    return specializer.finish();
  }
};

}  // namespace

const Transform& specialize() {
  static const Specialize transform;
  return transform;
}

}  // namespace geak::clang_tool::transforms
