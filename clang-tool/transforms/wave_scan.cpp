// Scans and reductions in LDS that take a round with a barrier for each doubling are done in two
// levels: by shuffles within 32 work-items, which every wave of AMD's and NVIDIA's holds whole, and
// then over what those made. Two or three barriers are left of twenty.
//
// What the rounds do is found by running them (lds_rounds.h), not by their form. Sums of
// floating-point numbers come out in another order, which the trial judges; where they would decide
// a comparison or an index, nothing is changed.
#include <clang/AST/ASTContext.h>

#include <algorithm>

#include "clang-tool/transforms/builtin_transforms.h"
#include "clang-tool/transforms/conditions.h"
#include "clang-tool/transforms/lds_rounds.h"
#include "clang-tool/transforms/loop_text.h"
#include "clang-tool/transforms/rounded_values.h"
#include "clang-tool/transforms/wave_registers.h"

namespace geak::clang_tool::transforms {
namespace {

using nlohmann::json;
using Kind = RoundsResult::Kind;

constexpr unsigned lanes = 32;
// Before each shuffle, where branches may have parted the work-items of a wave on NVIDIA's GPUs.
const std::string together = "__builtin_amdgcn_wave_barrier();\n";
constexpr unsigned least_barriers = 4;  // that the rounds have: fewer are what this leaves
constexpr std::size_t most_elements_each = 16;

std::string number(std::uint64_t value) { return std::to_string(value) + "u"; }

/// The text that does what rounds over one array do, in two parts with a barrier between.
class Writer {
 public:
  Writer(const KernelView& kernel, const RoundsResult& result, std::uint32_t work_items,
         const std::string& suffix)
      : kernel_(kernel), result_(result), suffix_(suffix) {
    active_ = static_cast<std::uint32_t>(std::min<std::size_t>(result.count, work_items));
    each_ = (result.count + active_ - 1) / active_;
    groups_ = (active_ + lanes - 1) / lanes;
    all_ = active_ == work_items;
    type_ = name_of(result.type);
    array_ = result.array->getNameAsString();
  }

  std::optional<Refusal> refused() const {
    if (!can_be_shuffled(result_.type)) return Refusal{"elements of this type cannot be shuffled"};
    if (result_.kind == Kind::whole) return std::nullopt;
    if (result_.count % active_ != 0 || each_ > most_elements_each)
      return Refusal{"the elements are not shared out evenly among the work-items"};
    return std::nullopt;
  }

  bool has_groups() const { return groups_ > 1; }

  std::string within_groups() const {
    std::string text = "const unsigned " + lane() + " = " + own() + " % 32u;\n";
    if (has_groups())
      text += "__shared__ " + type_ + " " + totals() + "[" + std::to_string(groups_) + "];\n";
    return text + (result_.kind == Kind::whole ? reduced() : scanned());
  }

  std::string over_groups() const {
    if (result_.kind == Kind::whole) {
      std::string text = "if (" + own() + " == 0u) {\n";
      for (unsigned group = 0; has_groups() && group < groups_; ++group) {
        const std::string total = totals() + "[" + std::to_string(group) + "]";
        text += sum() + " = " + (group == 0 ? total : combined(sum(), total)) + ";\n";
      }
      return text + array_ + "[" + std::to_string(result_.target) + "] = " + sum() + ";\n}\n";
    }
    return (has_groups() ? groups_before() : "") + stored();
  }

 private:
  std::string name(const char* what) const { return std::string("geak_") + what + suffix_; }
  std::string own() const { return "geak_item" + suffix_.substr(0, suffix_.find('_')); }
  std::string lane() const { return name("lane"); }
  std::string totals() const { return name("totals"); }
  std::string sum() const { return name("sum"); }
  std::string before() const { return name("before"); }
  std::string value(std::size_t i) const { return name("value") + "[" + std::to_string(i) + "]"; }

  std::string name_of(clang::QualType type) const {
    return type.getCanonicalType().getUnqualifiedType().getAsString(
        kernel_.unit.context().getPrintingPolicy());
  }

  /// Signed integers wrap here: another order may pass what the original's does not reach.
  std::string wrapping(const std::string& a, const char* operation, const std::string& b) const {
    if (!result_.type->isSignedIntegerType()) return "(" + a + " " + operation + " " + b + ")";
    const std::string raw =
        "(" + name_of(kernel_.unit.context().getCorrespondingUnsignedType(result_.type)) + ")";
    return "(" + type_ + ")(" + raw + a + " " + operation + " " + raw + b + ")";
  }

  std::string combined(const std::string& a, const std::string& b) const {
    switch (result_.combination) {
      case Combination::sum:
        return wrapping(a, "+", b);
      case Combination::product:
        return wrapping(a, "*", b);
      case Combination::all_bits:
        return "(" + a + " & " + b + ")";
      case Combination::any_bits:
        return "(" + a + " | " + b + ")";
      case Combination::odd_bits:
        return "(" + a + " ^ " + b + ")";
      case Combination::least:
      case Combination::greatest:
        break;
    }
    if (!result_.function.empty()) return "::" + result_.function + "(" + a + ", " + b + ")";
    const char* less = result_.combination == Combination::least ? " < " : " > ";
    return "(" + b + less + a + " ? " + b + " : " + a + ")";
  }

  std::string element(const ElementLayout& layout, const std::string& nth) const {
    std::string index = nth;
    if (layout.step != 1) index = number(static_cast<std::uint64_t>(layout.step)) + " * " + index;
    if (layout.first != 0) index = number(static_cast<std::uint64_t>(layout.first)) + " + " + index;
    if (layout.gap != 0)
      index += " + " + nth + " / " + number(static_cast<std::uint64_t>(layout.group)) + " * " +
               number(static_cast<std::uint64_t>(layout.gap));
    return array_ + "[" + index + "]";
  }

  std::string nth(std::size_t i) const {
    if (each_ == 1) return own();
    return "(" + own() + " * " + number(each_) + " + " + number(i) + ")";
  }

  std::string if_active(const std::string& statements) const {
    return (all_ ? "{\n" : "if (" + own() + " < " + number(active_) + ") {\n") + statements + "}\n";
  }

  /// Work-items take elements far apart, so that neighbours read neighbouring ones.
  std::string reduced() const {
    std::string read = sum() + " = " + element(result_.from, own()) + ";\n";
    for (std::size_t i = 1; i < each_; ++i) {
      const std::string at = "(" + own() + " + " + number(i * active_) + ")";
      const bool certain = (i + 1) * active_ <= result_.count;
      read += (certain ? "" : "if (" + at + " < " + number(result_.count) + ") ") + sum() + " = " +
              combined(sum(), element(result_.from, at)) + ";\n";
    }
    const bool partial = active_ % lanes != 0;
    std::string text = type_ + " " + sum() + " = 0;\n" + if_active(read);
    text += "#pragma unroll\nfor (unsigned geak_far = 16u; geak_far > 0u; geak_far /= 2u) {\n" +
            together + "const " + type_ + " geak_other = __shfl_down(" + sum() +
            ", geak_far, 32);\n" +
            (partial ? "if (" + own() + " + geak_far < " + number(active_) + ") " : "") + sum() +
            " = " + combined(sum(), "geak_other") + ";\n}\n";
    if (has_groups())
      text += "if (" + lane() + " == 0u" + (all_ ? "" : " && " + own() + " < " + number(active_)) +
              ") " + totals() + "[" + own() + " / 32u] = " + sum() + ";\n";
    return text;
  }

  /// A work-item's own elements, neighbours, one after the other; then the sums of work-items.
  std::string scanned() const {
    std::string read;
    for (std::size_t i = 0; i < each_; ++i) {
      const std::string next = element(result_.from, nth(i));
      read += value(i) + " = " + (i == 0 ? next : combined(value(i - 1), next)) + ";\n";
    }
    read += sum() + " = " + value(each_ - 1) + ";\n";
    std::string text = type_ + " " + name("value") + "[" + std::to_string(each_) + "], " + sum() +
                       " = 0;\n" + if_active(read) + up_to(sum(), lane(), lanes) + together +
                       type_ + " " + before() + " = __shfl_up(" + sum() + ", 1u, 32);\n";
    if (has_groups()) {
      const std::string last = number(active_ - 1);
      text += "if (" +
              (active_ % lanes == 0 ? lane() + " == 31u"
                                    : "(" + lane() + " == 31u || " + own() + " == " + last + ")") +
              (all_ ? "" : " && " + own() + " <= " + last) + ") " + totals() + "[" + own() +
              " / 32u] = " + sum() + ";\n";
    }
    return text;
  }

  /// Makes of each lane's value what all lanes up to it have.
  std::string up_to(const std::string& variable, const std::string& at, unsigned width) const {
    return "#pragma unroll\nfor (unsigned geak_far = 1u; geak_far < " + number(width) +
           "; geak_far *= 2u) {\n" + together + "const " + type_ + " geak_other = __shfl_up(" +
           variable + ", geak_far, 32);\nif (" + at + " >= geak_far) " + variable + " = " +
           combined("geak_other", variable) + ";\n}\n";
  }

  /// Few totals are read by all, at one address; many are scanned like elements.
  std::string groups_before() const {
    const std::string base = name("base"), total = totals() + "[geak_group]";
    const std::string mine = own() + " / 32u";
    std::string text;
    if (groups_ <= 8) {
      text = type_ + " " + base + " = " + totals() + "[0];\n#pragma unroll\nfor (unsigned " +
             "geak_group = 1u; geak_group < " + number(groups_ - 1) + "; ++geak_group) {\nconst " +
             type_ + " geak_other = " + total + ";\nif (geak_group < " + mine + ") " + base +
             " = " + combined(base, "geak_other") + ";\n}\n";
    } else {
      text = type_ + " " + base + " = " + totals() + "[" + lane() + " < " + number(groups_) +
             " ? " + lane() + " : 0u];\n" + up_to(base, lane(), groups_) + together + base +
             " = __shfl(" + base + ", (int)(" + own() + " < 32u ? 0u : " + mine + " - 1u), 32);\n";
    }
    return text + "if (" + own() + " >= 32u) " + before() + " = " + lane() + " > 0u ? " +
           combined(base, before()) + " : " + base + ";\n";
  }

  std::string stored() const {
    const bool inclusive = result_.kind == Kind::inclusive;
    const char* neutral = result_.combination == Combination::product ? "1" : "0";
    std::string text;
    for (std::size_t i = 0; i < each_; ++i) {
      const std::string target = element(result_.to, nth(i)) + " = " + own() + " > 0u ? ";
      if (inclusive)
        text += target + combined(before(), value(i)) + " : " + value(i) + ";\n";
      else if (i == 0)
        text += target + before() + " : (" + type_ + ")" + neutral + ";\n";
      else
        text += target + combined(before(), value(i - 1)) + " : " + value(i - 1) + ";\n";
    }
    return if_active(text);
  }

  const KernelView& kernel_;
  const RoundsResult& result_;
  std::string suffix_;
  std::uint32_t active_;  ///< work-items that have elements
  std::size_t each_;
  unsigned groups_;
  bool all_;
  std::string type_, array_;
};

std::string written(const KernelView& kernel, const LdsRounds& rounds,
                    const std::vector<Writer>& writers, unsigned nth) {
  const std::string wait = "__syncthreads();\n";
  std::string text = "{\nconst unsigned geak_item" + std::to_string(nth) + " = threadIdx.x;\n";
  if (!rounds.waits_before) text += wait;
  for (const Writer& writer : writers) text += writer.within_groups();
  if (std::ranges::any_of(writers, &Writer::has_groups)) text += wait;
  for (const Writer& writer : writers) text += writer.over_groups();
  text += wait + "}\n";
  for (const auto& [variable, value] : rounds.variables)
    text += variable->getNameAsString() + " = (" +
            variable->getType().getCanonicalType().getUnqualifiedType().getAsString(
                kernel.unit.context().getPrintingPolicy()) +
            ")" + std::to_string(value) + "ll;\n";
  // They may have no other use.
  for (const clang::VarDecl* variable : rounds.named)
    text += "(void)" + variable->getNameAsString() + ";\n";
  return text;
}

/// Floating-point sums of another order must decide nothing.
std::optional<Refusal> decides(const KernelView& kernel, const LdsRounds& rounds) {
  std::vector<const clang::Expr*> values;
  walk(kernel.body(), [&](const clang::Stmt& node, const Ancestors&) {
    const auto* element = llvm::dyn_cast<clang::ArraySubscriptExpr>(&node);
    const auto range = element == nullptr ? std::nullopt : kernel.source.range(node);
    if (range && range->begin >= rounds.range.begin && range->end <= rounds.range.end &&
        std::ranges::any_of(rounds.results, [&](const RoundsResult& result) {
          return result.type->isFloatingType() && result.combination <= Combination::product;
        }))
      values.push_back(element);
    return true;
  });
  return values.empty() ? std::nullopt : decided_by(kernel, values);
}

class WaveScan final : public Transform {
 public:
  std::string name() const override { return "wave_scan"; }
  Axis axis() const override { return Axis::parallelism; }
  std::string summary() const override {
    return "scans and reductions in LDS go through waves, with few barriers";
  }

  std::vector<json> parameters(const KernelView& kernel) const override {
    std::string why;
    const auto block = kernel.block();
    if (!block || (*block)[1] != 1 || (*block)[2] != 1) return {};
    if (lds_rounds(kernel, (*block)[0], why).empty()) return {};
    return {json::object()};
  }

  std::optional<Refusal> apply(const KernelView& kernel, const json&, Draft& draft) const override {
    const auto block = kernel.block(), original = kernel.original_block();
    if (!block || !original) return Refusal{"no launch was seen, or they differ in workgroup size"};
    if ((*block)[1] != 1 || (*block)[2] != 1) return Refusal{"workgroups of several rows"};
    Refusal why{""};
    TextEdits edits;
    unsigned nth = unused_number(kernel, "geak_item");
    for (const LdsRounds& rounds : lds_rounds(kernel, (*block)[0], why.reason)) {
      if (rounds.barriers < least_barriers) {
        why = Refusal{"the rounds have hardly any barriers"};
        continue;
      }
      std::vector<Writer> writers;
      std::optional<Refusal> refusal = decides(kernel, rounds);
      for (std::size_t i = 0; i < rounds.results.size() && !refusal; ++i) {
        writers.emplace_back(kernel, rounds.results[i], (*block)[0],
                             std::to_string(nth) + "_" + std::to_string(i));
        refusal = writers.back().refused();
      }
      if (refusal) {
        why = *refusal;
        continue;
      }
      edits.replace(rounds.range, written(kernel, rounds, writers, nth++));
      for (const auto& [position, value] : rounds.arguments)
        require_argument(position, value, draft);
    }
    if (edits.empty()) return why;
    require_block(*original, draft);
    require_lds_as_seen(kernel, draft);
    draft.block_is_fixed = true;
    draft.text = edits.apply(kernel.source.text(), kernel.text);
    return std::nullopt;
  }
};

}  // namespace

const Transform& wave_scan() {
  static const WaveScan transform;
  return transform;
}

}  // namespace geak::clang_tool::transforms
