// Gives each work-item several neighbouring elements at a time in place of every so-many-th one, so
// that a load or store moves up to 16 bytes. Who does which element changes, so the rounds must not
// depend on each other or on who does them. Alignment is tested where the rounds begin, and single
// rounds do the rest.
#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>

#include <algorithm>

#include "clang-tool/transforms/builtin_transforms.h"
#include "clang-tool/transforms/element_rounds.h"
#include "clang-tool/transforms/global_index.h"
#include "clang-tool/transforms/launch_axis.h"
#include "clang-tool/transforms/loop_text.h"
#include "clang-tool/transforms/side_by_side.h"

namespace geak::clang_tool::transforms {
namespace {

using nlohmann::json;

constexpr std::uint64_t widest_access = 16, most_bytes = 64;

struct Shape {
  unsigned elements = 8;   ///< neighbours at a time
  unsigned in_flight = 1;  ///< so many times in a round, loads before everything else
};

/// An array's element of the round, wherever the round names it.
struct Group {
  RoundElement element;
  std::vector<MemoryAccess> accesses = {};
  bool read = false, written = false;
  std::vector<std::string> certain_if = {};  ///< conditions under which every round touches it
};

/// What every round touches, given what is added to the group's conditions.
bool is_certain(const SideBySide& elements, const MemoryAccess& access, Group& group) {
  if (access.conditional) return false;
  for (const clang::ForStmt* loop : access.loops) {
    const auto condition = elements.runs_at_all(*loop);
    if (!condition) return false;
    group.certain_if.push_back(*condition);
  }
  return true;
}

/// The arrays that can be read and stored several elements at a time.
std::vector<Group> wide_groups(const KernelView& kernel, const ElementRounds& rounds) {
  const SideBySide elements(kernel, rounds);
  std::vector<Group> groups;
  std::string problem;
  for (const clang::Stmt* statement : rounds.body)
    for (const MemoryAccess& access :
         memory_accesses(kernel, *statement, problem).value_or(std::vector<MemoryAccess>{})) {
      const auto element = elements.element(access);
      if (!element || !kernel.source.range(*access.place)) continue;
      auto group = std::ranges::find(groups, element->key,
                                     [](const Group& known) { return known.element.key; });
      if (group == groups.end()) group = groups.insert(groups.end(), Group{.element = *element});
      group->accesses.push_back(access);
      group->read = group->read || access.read;
      group->written = group->written || access.written;
    }
  // What no round is certain to touch may not be there, and what is stored at times stays as it is.
  std::erase_if(groups, [&](Group& group) {
    bool some = false, all_stores = true;
    for (const MemoryAccess& access : group.accesses) {
      const bool certain = is_certain(elements, access, group);
      some = some || certain;
      all_stores = all_stores && (certain || !access.written);
    }
    return !some || !all_stores;
  });
  return groups;
}

class Writer {
 public:
  Writer(const KernelView& kernel, const ElementRounds& rounds, std::vector<Group> groups,
         Shape shape, unsigned number)
      : kernel_(kernel),
        rounds_(rounds),
        elements_(kernel, rounds),
        groups_(std::move(groups)),
        shape_(shape),
        suffix_(std::to_string(number)),
        type_(elements_.type_text(rounds.variable->getType())) {}

  /// The loop in both forms; nothing where its text stands in a macro.
  std::optional<std::string> loop() const {
    const auto count = bound();
    const std::string begin = kernel_.source.text(*rounds_.loop->begin);
    const std::string step = kernel_.source.text(*rounds_.loop->step);
    const auto original = kernel_.source.statement_range(*rounds_.loop->statement);
    if (!count || begin.empty() || step.empty() || !original) return std::nullopt;
    const std::string wide = std::to_string(shape_.elements);
    const std::string at = name("at"), all = name("all"), own = name("own"), end = name("count");
    const auto advance = [&](unsigned sets) {
      const std::string items = std::to_string(sets * shape_.elements);
      return "for (; " + at + " + " + (sets > 1 ? all + " * " + between(sets) + " + " : "") + wide +
             " <= " + end + "; " + at + " += " + all + " * " + items + ") {\n" + round(sets) +
             "}\n";
    };
    std::string text = "{\n" + packs() + *count + "if (" + aligned() + ") {\n" + wide_type + " " +
                       own + " = " + begin + ", " + all + " = " + step + ";\n" + mutable_type +
                       " " + at + " = " + own + " * " + wide + ";\n";
    if (shape_.in_flight > 1) text += advance(shape_.in_flight);
    text += advance(1);
    return text + "for (" + at + " = " + end + " / " + wide + " * " + wide + " + " + own + "; " +
           at + " < " + end + "; " + at + " += " + all + ") {\n" + number(at) + plain_body() +
           "}\n} else\n" + kernel_.source.text(*original) + "\n}\n";
  }

  /// What follows the declaration of a single item's number; the number becomes one of several.
  std::optional<std::string> items() const {
    const auto count = bound();
    std::string text;
    for (const clang::Expr* condition : rounds_.other_ways_out) {
      const std::string written = kernel_.source.text(*condition);
      if (written.empty()) return std::nullopt;
      text += "if (" + written + ") return;\n";
    }
    if (!count) return std::nullopt;
    const std::string wide = std::to_string(shape_.elements);
    const std::string at = name("at"), nth = name("nth"), end = name("count");
    return text + packs() + *count + wide_type + " " + at + " = (" + wide_value +
           "blockIdx.x * blockDim.x + threadIdx.x) * " + wide + ";\nif (" + at + " + " + wide +
           " <= " + end + " && " + aligned() + ") {\n" + round(1) + "} else\nfor (int " + nth +
           " = 0; " + nth + " < " + wide + " && " + at + " + " + nth + " < " + end + "; ++" + nth +
           ") {\n" + number(at + " + " + nth) + plain_body() + "}\n";
  }

 private:
  static constexpr const char* wide_type = "const unsigned long long";
  static constexpr const char* mutable_type = "unsigned long long";
  static constexpr const char* wide_value = "(unsigned long long)";

  std::string name(const std::string& what) const { return "geak_" + what + suffix_; }
  std::string pack(std::size_t group) const { return name("pack") + "_" + std::to_string(group); }
  std::string values(std::size_t group) const {
    return name("values") + "_" + std::to_string(group);
  }
  std::uint64_t bytes(const Group& group) const { return group.element.bytes * shape_.elements; }
  std::uint64_t alignment(const Group& group) const {
    return std::min(bytes(group), widest_access);
  }
  std::string between(unsigned sets) const { return std::to_string((sets - 1) * shape_.elements); }

  /// Defines how many rounds there are.
  std::optional<std::string> bound() const {
    const std::string all_items =
        std::string(wide_value) + "gridDim.x * blockDim.x * " + std::to_string(shape_.elements);
    if (rounds_.end == nullptr)
      return std::string(wide_type) + " " + name("count") + " = " + all_items + ";\n";
    const std::string written = kernel_.source.text(*rounds_.end);
    if (written.empty()) return std::nullopt;
    const std::string end = name("end"), limit = name("limit");
    std::string text = "const " + elements_.type_text(rounds_.end->getType()) + " " + end + " = " +
                       written + ";\n";
    const std::string count = end + " > 0 ? " + wide_value + end + " : 0";
    if (rounds_.loop) return text + wide_type + " " + name("count") + " = " + count + ";\n";
    // Items that the original's grid does not reach are not done.
    return text + wide_type + " " + limit + " = " + count + ", " + name("items") + " = " +
           all_items + ", " + name("count") + " = " + limit + " < " + name("items") + " ? " +
           limit + " : " + name("items") + ";\n";
  }

  /// Neighbours that are loaded or stored together.
  std::string packs() const {
    std::string text;
    for (std::size_t i = 0; i < groups_.size(); ++i)
      text += "struct alignas(" + std::to_string(alignment(groups_[i])) + ") " + pack(i) + " { " +
              elements_.type_text(groups_[i].element.type) + " of[" +
              std::to_string(shape_.elements) + "]; };\n";
    return text;
  }

  /// Holds where every array's elements lie so that they can be reached together.
  std::string aligned() const {
    std::vector<std::string> conditions;
    for (const Group& group : groups_) {
      const std::string address = elements_.address(group.accesses.front(), "0");
      conditions.push_back(std::string(wide_value) + "(" + address + ") % " +
                           std::to_string(alignment(group)) + " == 0");
      conditions.insert(conditions.end(), group.certain_if.begin(), group.certain_if.end());
      for (const auto& narrow : group.element.narrow)
        conditions.push_back(wide_value + narrow.at_zero + " + " + name("count") +
                             " <= " + std::to_string(narrow.limit) + "ull");
    }
    std::string text;
    for (std::size_t i = 0; i < conditions.size(); ++i)
      if (std::find(conditions.begin(), conditions.begin() + static_cast<std::ptrdiff_t>(i),
                    conditions[i]) == conditions.begin() + static_cast<std::ptrdiff_t>(i))
        text += (text.empty() ? "" : " && ") + conditions[i];
    return text;
  }

  /// First number of the set that `geak_set` counts.
  std::string set_begin(unsigned sets) const {
    if (sets == 1) return name("at");
    return name("at") + " + " + name("all") + " * " + std::to_string(shape_.elements) + " * " +
           name("set");
  }

  std::string for_each(const std::string& counter, unsigned times, const std::string& body) const {
    if (body.empty()) return {};
    return "#pragma unroll\nfor (int " + counter + " = 0; " + counter + " < " +
           std::to_string(times) + "; ++" + counter + ") {\n" + body + "}\n";
  }

  /// `sets` times so many neighbours: all loads, the rounds, all stores.
  std::string round(unsigned sets) const {
    const std::string set = name("set"), nth = name("nth");
    std::string declarations, loads, stores;
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      const std::string address = elements_.address(groups_[i].accesses.front(), set_begin(sets));
      const std::string mine = values(i) + "[" + set + "]";
      declarations += pack(i) + " " + values(i) + "[" + std::to_string(sets) + "];\n";
      if (groups_[i].read)
        loads += mine + " = *reinterpret_cast<const " + pack(i) + "*>(" + address + ");\n";
      if (groups_[i].written)
        stores += "*reinterpret_cast<" + pack(i) + "*>(" + address + ") = " + mine + ";\n";
    }
    const std::string rounds =
        for_each(nth, shape_.elements, number(set_begin(sets) + " + " + nth) + body_in_registers());
    return declarations + for_each(set, sets, loads) + for_each(set, sets, rounds) +
           for_each(set, sets, stores);
  }

  std::string number(const std::string& value) const {
    return "__attribute__((unused)) const " + type_ + " " + rounds_.variable->getNameAsString() +
           " = (" + type_ + ")(" + value + ");\n";
  }

  std::string plain_body() const { return body({}); }

  std::string body_in_registers() const {
    TextEdits edits;
    for (std::size_t i = 0; i < groups_.size(); ++i)
      for (const MemoryAccess& access : groups_[i].accesses)
        edits.replace(*kernel_.source.range(*access.place),
                      values(i) + "[" + name("set") + "].of[" + name("nth") + "]");
    return body(edits);
  }

  std::string body(const TextEdits& edits) const {
    std::string text;
    for (const clang::Stmt* statement : rounds_.body)
      text +=
          edits.apply(kernel_.source.text(), *kernel_.source.statement_range(*statement)) + "\n";
    return text;
  }

  const KernelView& kernel_;
  const ElementRounds& rounds_;
  SideBySide elements_;
  std::vector<Group> groups_;
  Shape shape_;
  std::string suffix_, type_;
};

/// The shape's groups where the elements fit into it; a reason where none does.
std::variant<std::vector<Group>, Refusal> groups_for(const KernelView& kernel,
                                                     const ElementRounds& rounds, Shape shape) {
  for (const clang::Stmt* statement : rounds.body)
    if (!kernel.source.statement_range(*statement))
      return Refusal{"a statement comes out of a macro"};
  std::vector<Group> groups = wide_groups(kernel, rounds);
  if (groups.empty()) return Refusal{"no array is reached at neighbouring elements in every round"};
  for (const Group& group : groups)
    if (group.element.bytes * shape.elements > most_bytes)
      return Refusal{"so many elements take more than " + std::to_string(most_bytes) + " bytes"};
  return groups;
}

class WideElements final : public Transform {
 public:
  std::string name() const override { return "wide_elements"; }
  Axis axis() const override { return Axis::memory; }
  std::string summary() const override {
    return "gives each work-item neighbouring elements, which it loads and stores together";
  }

  /// {"elements": 8, "in_flight": 2}
  std::vector<json> parameters(const KernelView& kernel) const override {
    const Draft scratch;
    std::vector<Group> groups;
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
        std::ranges::minmax(groups, {}, [](const Group& group) { return group.element.bytes; });
    std::vector<json> choices;
    const auto offer = [&](std::uint64_t elements, unsigned in_flight) {
      const json choice = {{"elements", elements}, {"in_flight", in_flight}};
      if (elements > 1 && std::ranges::find(choices, choice) == choices.end())
        choices.push_back(choice);
    };
    const std::uint64_t full = widest_access / least.element.bytes;
    const std::uint64_t narrow = widest_access / std::min(most.element.bytes, widest_access);
    for (const std::uint64_t elements : {full, narrow, full / 2}) offer(elements, 1);
    if (loops)
      for (const std::uint64_t elements : {full, full / 2}) offer(elements, 2);
    return choices;
  }

  std::optional<Refusal> apply(const KernelView& kernel, const json& parameters,
                               Draft& draft) const override {
    const Shape shape{parameters.at("elements").get<unsigned>(), parameters.value("in_flight", 1U)};
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
                                           Shape shape, unsigned number, TextEdits& edits,
                                           Draft& draft) {
    Draft asked = draft;
    if (auto refusal = tied_to_order(kernel, rounds, asked)) return refusal;
    auto groups = groups_for(kernel, rounds, shape);
    if (auto* refusal = std::get_if<Refusal>(&groups)) return *refusal;
    const auto text =
        Writer(kernel, rounds, std::get<std::vector<Group>>(std::move(groups)), shape, number)
            .loop();
    if (!text) return Refusal{"the loop's head comes out of a macro"};
    edits.replace(*kernel.source.statement_range(*rounds.loop->statement), *text);
    draft = std::move(asked);
    return std::nullopt;
  }

  static std::optional<Refusal> widen_items(const KernelView& kernel, Shape shape, unsigned number,
                                            TextEdits& edits, Draft& draft) {
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
    if (!some_launch_runs(kernel, draft))
      return Refusal{
          "the grids seen do not divide evenly, and nothing says how many items there are"};
    const auto text =
        Writer(kernel, rounds, std::get<std::vector<Group>>(std::move(groups)), shape, number)
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
