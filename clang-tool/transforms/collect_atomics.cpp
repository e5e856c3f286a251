// Collects atomic operations of a workgroup in LDS and passes on one for each element that they
// reach: many work-items that count into few elements wait for each other at the L2, one operation
// a cycle and channel. Only sums, smallest values and the like of integers, whose order cannot be
// told, and sums of floating-point numbers, whose order is open, of arrays to which the kernel does
// nothing else.
#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>

#include <algorithm>

#include "clang-tool/transforms/atomic_targets.h"
#include "clang-tool/transforms/builtin_transforms.h"
#include "clang-tool/transforms/conditions.h"
#include "clang-tool/transforms/global_index.h"
#include "clang-tool/transforms/launch_axis.h"
#include "clang-tool/transforms/loop_text.h"
#include "clang-tool/transforms/no_overlap.h"
#include "clang-tool/transforms/ways_to_memory.h"

namespace geak::clang_tool::transforms {
namespace {

using nlohmann::json;

constexpr std::uint64_t most_bytes = 32 * 1024;  // half of the LDS: two workgroups a CU at least
constexpr std::uint32_t most_items = 256;

/// `&p[2]` and `p`: the index, where it is a constant.
std::optional<std::int64_t> constant_index(const KernelView& kernel, const BlindAtomic& atomic) {
  const auto origin = pointer_origin(kernel, *atomic.address, *atomic.address);
  if (!origin) return std::nullopt;
  std::int64_t sum = 0;
  for (const clang::Expr* offset : origin->offsets) {
    const auto value = constant_value(*offset, kernel.unit.context());
    if (!value) return std::nullopt;
    sum += *value;
  }
  return sum;
}

std::optional<Refusal> tells_when_it_is_done(const KernelView& kernel) {
  const SharedBehaviour behaviour = shared_behaviour(kernel.function);
  if (auto refusal = may_show_its_order(behaviour)) return refusal;
  // Those that returned would meet the others' next barrier, and pass on what is not complete.
  if (behaviour.barrier && holds_any<clang::ReturnStmt>(kernel.body()))
    return Refusal{"the kernel has barriers and returns early"};
  if (holds_any<clang::LambdaExpr, clang::GotoStmt>(kernel.body()))
    return Refusal{"the kernel has lambdas or jumps"};
  if (const auto way = other_way_to_memory(kernel.function)) return Refusal{*way};
  return std::nullopt;
}

class Collecting {
 public:
  Collecting(const KernelView& kernel, std::vector<AtomicTarget> targets, std::uint64_t entries,
             std::uint32_t items)
      : kernel_(kernel),
        targets_(std::move(targets)),
        entries_(std::to_string(entries)),
        items_(items),
        first_(unused_number(kernel, "geak_part")) {}

  std::optional<Refusal> apply(Draft& draft) {
    const auto body = kernel_.source.range(kernel_.body());
    if (!body) return Refusal{"the kernel's body comes out of a macro"};
    if (items_ > 1)
      if (auto refusal = take_several(draft)) return refusal;
    TextEdits edits = numbers_;
    std::string before = own_number(), after = "__syncthreads();\n";
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      const AtomicTarget& target = targets_[i];
      for (const BlindAtomic& atomic : target.atomics)
        if (auto refusal = collect(atomic, i, edits)) return refusal;
      const std::string element = part(i) + "[" + each() + "]";
      before += "__shared__ " + target.type + " " + part(i) + "[" + entries_ + "];\n" +
                "for (unsigned " + each() + " = " + own() + "; " + each() + " < " + entries_ +
                "; " + each() + " += " + all() + ") " + element + " = " + target.identity + ";\n";
      before += target.type + "* const " + base(i) + " = " + begin_of(target) + ";\n";
      after += "for (unsigned " + each() + " = " + own() + "; " + each() + " < " + entries_ + "; " +
               each() + " += " + all() + ")\nif (" + element + " != " + target.identity + ") " +
               target.operation + "(" + base(i) + " + " + each() + ", " + element + ");\n";
    }
    before += "__syncthreads();\n";
    // Work-items that are done early still pass on what others collected.
    const bool returns = holds_any<clang::ReturnStmt>(kernel_.body());
    const std::string several = "for (unsigned " + item() + " = 0; " + item() + " < " +
                                std::to_string(items_) + "; ++" + item() + ")\n";
    edits.insert(body->begin + 1,
                 "\n" + before + (items_ > 1 ? several : "") + (returns ? "[&] {\n" : "{\n"));
    edits.insert(body->end - 1, (returns ? "}();\n" : "}\n") + after);
    draft.text = edits.apply(kernel_.source.text(), kernel_.text);
    require_apart_from_all(draft);
    require_lds_as_seen(kernel_, draft);
    return std::nullopt;
  }

 private:
  std::string name(const std::string& what) const {
    return "geak_" + what + std::to_string(first_);
  }
  std::string part(std::size_t target) const { return name("part") + "_" + std::to_string(target); }
  std::string base(std::size_t target) const { return name("base") + "_" + std::to_string(target); }
  std::string own() const { return name("own"); }
  std::string all() const { return name("all"); }
  std::string each() const { return name("each"); }
  std::string item() const { return name("item"); }

  /// Gives each work-item several items, a workgroup's apart: more to collect.
  std::optional<Refusal> take_several(Draft& draft) {
    auto found = global_index(kernel_, 0, draft);
    if (auto* refusal = std::get_if<Refusal>(&found)) return *refusal;
    const auto& index = std::get<GlobalIndex>(found);
    const auto guard = extra_items_return(kernel_, index, std::uint64_t{1024} * items_);
    if (auto refusal = divide_grid(0, items_, guard.has_value(), draft)) return refusal;
    if (guard) draft.require(*guard);
    if (auto none = no_launch_runs(
            kernel_, draft,
            "the grids seen do not divide evenly, and no early return stops extra items"))
      return none;
    for (const clang::Expr* use : index.uses) {
      const auto at = kernel_.source.range(*use);
      if (!at) return Refusal{"the kernel's item number comes out of a macro"};
      const clang::QualType type = use->getType().getCanonicalType().getUnqualifiedType();
      numbers_.replace(*at, "((" + type.getAsString(kernel_.unit.context().getPrintingPolicy()) +
                                ")((blockIdx.x * " + std::to_string(items_) + "u + " + item() +
                                ") * blockDim.x + threadIdx.x))");
    }
    return std::nullopt;
  }

  /// Text of an expression with the item's number in it; empty in macros.
  std::string text(const clang::Expr& expression) const {
    const auto range = kernel_.source.range(expression);
    return range ? numbers_.apply(kernel_.source.text(), *range) : std::string();
  }

  std::string own_number() const {
    return "const unsigned " + own() +
           " = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x, " + all() +
           " = blockDim.x * blockDim.y * blockDim.z;\n";
  }

  std::string begin_of(const AtomicTarget& target) const {
    return target.begin == nullptr ? target.base->getNameAsString()
                                   : kernel_.source.text(*target.begin);
  }

  std::optional<Refusal> collect(const BlindAtomic& atomic, std::size_t i, TextEdits& edits) const {
    const auto range = kernel_.source.statement_range(*atomic.call);
    const std::string address = text(*atomic.address);
    const std::string value = text(*atomic.value);
    if (!range || address.empty() || value.empty())
      return Refusal{"an atomic operation comes out of a macro"};
    const AtomicTarget& target = targets_[i];
    const std::string at = name("at"), nth = name("nth"), given = name("given");
    // Elements before the base are beyond all entries as well, as numbers without a sign.
    edits.replace(*range, "{\n" + target.type + "* const " + at + " = " + address + ";\nconst " +
                              target.type + " " + given + " = " + value +
                              ";\nconst unsigned long long " + nth + " = " + at + " - " + base(i) +
                              ";\nif (" + nth + " < " + entries_ + ") " + target.operation + "(&" +
                              part(i) + "[" + nth + "], " + given + ");\nelse " + target.operation +
                              "(" + at + ", " + given + ");\n}");
    return std::nullopt;
  }

  /// Nothing else that the kernel reaches may be where the operations arrive late.
  void require_apart_from_all(Draft& draft) const {
    for (const AtomicTarget& target : targets_)
      for (const clang::ParmVarDecl* other : kernel_.function.parameters())
        if (other != target.parameter && other->getType()->isPointerType())
          require_apart(*target.parameter, *other, draft);
  }

  const KernelView& kernel_;
  std::vector<AtomicTarget> targets_;
  std::string entries_;
  std::uint32_t items_;
  unsigned first_;
  TextEdits numbers_ = {};
};

class CollectAtomics final : public Transform {
 public:
  std::string name() const override { return "collect_atomics"; }
  Axis axis() const override { return Axis::memory; }
  std::string summary() const override {
    return "collects a workgroup's atomic operations on few elements in LDS";
  }

  /// {"entries": 256, "items": 16}: elements from the array's begin on that are collected; how many
  /// items each work-item takes
  std::vector<json> parameters(const KernelView& kernel) const override {
    const auto found = atomic_targets(kernel);
    if (std::holds_alternative<Refusal>(found)) return {};
    std::int64_t constant = -1;
    bool varies = false;
    for (const AtomicTarget& target : std::get<std::vector<AtomicTarget>>(found))
      for (const BlindAtomic& atomic : target.atomics) {
        const auto index = constant_index(kernel, atomic);
        varies = varies || !index;
        constant = std::max(constant, index.value_or(-1));
      }
    std::vector<json> choices;
    Draft scratch;
    const bool several = std::holds_alternative<GlobalIndex>(global_index(kernel, 0, scratch));
    const auto offer = [&](std::int64_t entries) {
      if (several)
        for (const unsigned items : {16U, 64U})
          choices.push_back({{"entries", entries}, {"items", items}});
      choices.push_back({{"entries", entries}});
    };
    if (constant >= 0 && constant < 64) offer(constant + 1);
    if (varies)
      for (const int entries : {256, 1024, 4096}) offer(entries);
    return choices;
  }

  std::optional<Refusal> apply(const KernelView& kernel, const json& parameters,
                               Draft& draft) const override {
    const auto entries = parameters.at("entries").get<std::uint64_t>();
    const auto items = parameters.value("items", std::uint32_t{1});
    if (items < 1 || items > most_items)
      return Refusal{"a work-item must get 1 to " + std::to_string(most_items) + " items"};
    auto found = atomic_targets(kernel);
    if (auto* refusal = std::get_if<Refusal>(&found)) return *refusal;
    auto& targets = std::get<std::vector<AtomicTarget>>(found);
    std::uint64_t bytes = 0;
    for (const AtomicTarget& target : targets) bytes += target.bytes * entries;
    if (entries < 1 || entries > most_bytes || bytes > most_bytes)
      return Refusal{"the entries must be 1 or more, and take at most " +
                     std::to_string(most_bytes) + " bytes of LDS"};
    if (auto refusal = tells_when_it_is_done(kernel)) return refusal;
    return Collecting(kernel, std::move(targets), entries, items).apply(draft);
  }
};

}  // namespace

const Transform& collect_atomics() {
  static const CollectAtomics transform;
  return transform;
}

}  // namespace geak::clang_tool::transforms
