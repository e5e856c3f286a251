// Gives each work-item several neighbouring elements at a time in place of every so-many-th one, so
// that a load or store moves up to 16 bytes. Who does which element changes, so the rounds must not
// depend on each other or on who does them. Alignment is found out where the rounds begin, and
// single rounds do the rest.
#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>

#include <algorithm>

#include "clang-tool/transforms/builtin_transforms.h"
#include "clang-tool/transforms/element_rounds.h"
#include "clang-tool/transforms/global_index.h"
#include "clang-tool/transforms/launch_axis.h"
#include "clang-tool/transforms/loop_text.h"
#include "clang-tool/transforms/wide_rounds.h"

namespace geak::clang_tool::transforms {
namespace {

using nlohmann::json;

constexpr std::uint64_t most_bytes = 64;

/// Of `anywhere`: true is what `direct` was called when there was nothing else.
std::optional<WideShape::Anywhere> anywhere_of(const json& parameters) {
  const json value = parameters.value("anywhere", json(false));
  if (value == false) return WideShape::Anywhere::no;
  if (value == true || value == "direct") return WideShape::Anywhere::direct;
  if (value == "shifted") return WideShape::Anywhere::shifted;
  return std::nullopt;
}

bool some_is_covered(const KernelView& kernel, const std::vector<WideGroup>& groups,
                     const WideShape& shape) {
  return groups.size() > 1 && std::ranges::any_of(groups, [&](const WideGroup& group) {
           return covering_loads(kernel, group, shape, "").has_value();
         });
}

/// The shape's groups where the elements fit into it; a reason where none does.
std::variant<std::vector<WideGroup>, Refusal> groups_for(const KernelView& kernel,
                                                         const ElementRounds& rounds,
                                                         WideShape shape) {
  for (const clang::Stmt* statement : rounds.body)
    if (!kernel.source.statement_range(*statement))
      return Refusal{"a statement comes out of a macro"};
  std::vector<WideGroup> groups = wide_groups(kernel, rounds);
  if (groups.empty()) return Refusal{"no array is reached at neighbouring elements in every round"};
  for (const WideGroup& group : groups)
    if (group.element.bytes * shape.elements > most_bytes)
      return Refusal{"so many elements take more than " + std::to_string(most_bytes) + " bytes"};
  if (shape.anywhere == WideShape::Anywhere::shifted && !some_is_covered(kernel, groups, shape))
    return Refusal{"no array is only read, beside another one, by accesses of four bytes or more"};
  return groups;
}

class WideElements final : public Transform {
 public:
  std::string name() const override { return "wide_elements"; }
  Axis axis() const override { return Axis::memory; }
  std::string summary() const override {
    return "gives each work-item neighbouring elements, which it loads and stores together";
  }

  /// {"elements": 8, "in_flight": 2, "anywhere": "direct"}: so many sets of elements; also where
  /// arrays are not aligned alike, by wide accesses at any address or, `shifted`, by aligned ones
  std::vector<json> parameters(const KernelView& kernel) const override {
    const Draft scratch;
    std::vector<WideGroup> groups;
    bool loops = false;
    for (const ElementRounds& rounds : element_loops(kernel, scratch)) {
      loops = true;
      std::ranges::move(wide_groups(kernel, rounds), std::back_inserter(groups));
    }
    if (const auto items = element_items(kernel, scratch);
        std::holds_alternative<ElementRounds>(items))
      std::ranges::move(wide_groups(kernel, std::get<ElementRounds>(items)),
                        std::back_inserter(groups));
    if (groups.empty()) return {};
    const auto [least, most] =
        std::ranges::minmax(groups, {}, [](const WideGroup& group) { return group.element.bytes; });
    std::vector<json> choices;
    const auto offer = [&](std::uint64_t elements, unsigned in_flight,
                           const char* anywhere = nullptr) {
      json choice = {{"elements", elements}, {"in_flight", in_flight}};
      if (anywhere != nullptr) choice["anywhere"] = anywhere;
      if (elements > 1 && std::ranges::find(choices, choice) == choices.end())
        choices.push_back(choice);
    };
    const std::uint64_t full = WideRounds::widest_access / least.element.bytes;
    const std::uint64_t narrow =
        WideRounds::widest_access / std::min(most.element.bytes, WideRounds::widest_access);
    if (groups.size() > 1) offer(full, 1, "direct");
    if (some_is_covered(kernel, groups, {static_cast<unsigned>(full)})) offer(full, 1, "shifted");
    for (const std::uint64_t elements : {full, narrow, full / 2}) offer(elements, 1);
    if (loops)
      for (const std::uint64_t elements : {full, full / 2}) offer(elements, 2);
    return choices;
  }

  std::optional<Refusal> apply(const KernelView& kernel, const json& parameters,
                               Draft& draft) const override {
    const auto anywhere = anywhere_of(parameters);
    if (!anywhere) return Refusal{"anywhere is true, false, \"direct\" or \"shifted\""};
    const WideShape shape{parameters.at("elements").get<unsigned>(),
                          parameters.value("in_flight", 1U), *anywhere};
    const auto is_one_of = [](unsigned value, std::initializer_list<unsigned> values) {
      return std::ranges::find(values, value) != values.end();
    };
    if (!is_one_of(shape.elements, {2, 4, 8, 16}) || !is_one_of(shape.in_flight, {1, 2, 4}))
      return Refusal{"elements must be 2, 4, 8 or 16, and 1, 2 or 4 sets of them in flight"};
    std::optional<Refusal> why;
    TextEdits edits;
    unsigned number = unused_number(kernel, "geak_pack");
    for (const ElementRounds& rounds : element_loops(kernel, draft)) {
      const auto refusal = widen_loop(kernel, rounds, shape, number, edits, draft);
      if (!refusal) ++number;
      why = why ? why : refusal;
    }
    if (edits.empty()) {
      if (why) return why;
      if (auto refusal = widen_items(kernel, shape, number, edits, draft)) return refusal;
    }
    draft.text = edits.apply(kernel.source.text(), kernel.text);
    return std::nullopt;
  }

 private:
  static std::optional<Refusal> widen_loop(const KernelView& kernel, const ElementRounds& rounds,
                                           WideShape shape, unsigned number, TextEdits& edits,
                                           Draft& draft) {
    Draft asked = draft;
    if (auto refusal = tied_to_order(kernel, rounds, asked)) return refusal;
    auto groups = groups_for(kernel, rounds, shape);
    if (auto* refusal = std::get_if<Refusal>(&groups)) return *refusal;
    const auto text = WideRounds(kernel, rounds,
                                 std::get<std::vector<WideGroup>>(std::move(groups)), shape, number)
                          .loop();
    if (!text) return Refusal{"the loop's head comes out of a macro"};
    edits.replace(*kernel.source.statement_range(*rounds.loop->statement), *text);
    draft = std::move(asked);
    return std::nullopt;
  }

  static std::optional<Refusal> widen_items(const KernelView& kernel, WideShape shape,
                                            unsigned number, TextEdits& edits, Draft& draft) {
    if (shape.in_flight != 1) return Refusal{"single items have one set of elements in flight"};
    auto found = element_items(kernel, draft);
    if (auto* refusal = std::get_if<Refusal>(&found)) return *refusal;
    const auto& rounds = std::get<ElementRounds>(found);
    if (auto refusal = tied_to_order(kernel, rounds, draft)) return refusal;
    auto groups = groups_for(kernel, rounds, shape);
    if (auto* refusal = std::get_if<Refusal>(&groups)) return *refusal;
    const auto reach = rounds.end == nullptr
                           ? std::nullopt
                           : expanded(kernel, *rounds.end, [](const clang::VarDecl&) {
                               return std::optional<std::string>();
                             });
    if (auto refusal = divide_grid(0, shape.elements, reach.has_value(), draft)) return refusal;
    if (reach)
      draft.require(items_reach(*reach, GlobalIndex{}, std::uint64_t{1024} * shape.elements));
    if (auto refusal = no_launch_runs(
            kernel, draft,
            "the grids seen do not divide evenly, and nothing says how many items there are"))
      return refusal;
    const auto text = WideRounds(kernel, rounds,
                                 std::get<std::vector<WideGroup>>(std::move(groups)), shape, number)
                          .items();
    const auto declared = kernel.source.statement_range(*rounds.number);
    if (!text || !declared) return Refusal{"a statement comes out of a macro"};
    edits.replace({declared->begin, rounds.extent.end - 1}, *text);
    return std::nullopt;
  }
};

}  // namespace

const Transform& wide_elements() {
  static const WideElements transform;
  return transform;
}

}  // namespace geak::clang_tool::transforms
