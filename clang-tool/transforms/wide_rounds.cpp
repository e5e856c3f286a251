#include "clang-tool/transforms/wide_rounds.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>

#include <algorithm>

namespace geak::clang_tool::transforms {
namespace {

constexpr const char* wide_type = "const unsigned long long";
constexpr const char* mutable_type = "unsigned long long";
constexpr const char* wide_value = "(unsigned long long)";

/// What every round touches, given what is added to the group's conditions.
bool is_certain(const SideBySide& elements, const MemoryAccess& access, WideGroup& group) {
  if (access.conditional) return false;
  for (const clang::ForStmt* loop : access.loops) {
    const auto condition = elements.runs_at_all(*loop);
    if (!condition) return false;
    group.certain_if.push_back(*condition);
  }
  return true;
}

/// All of them, each once; empty where there are none.
std::string all_of(const std::vector<std::string>& conditions) {
  std::string text;
  for (auto at = conditions.begin(); at != conditions.end(); ++at)
    if (std::find(conditions.begin(), at, *at) == at) text += (text.empty() ? "" : " && ") + *at;
  return text;
}

/// An integer of so many bytes, a power of two up to 16.
std::string word_type(std::uint64_t bytes) {
  switch (bytes) {
    case 16:
      return "unsigned __int128";
    case 8:
      return "unsigned long long";
    case 4:
      return "unsigned int";
    default:
      return "unsigned short";
  }
}

}  // namespace

std::uint64_t access_bytes(const WideGroup& group, const WideShape& shape) {
  return std::min(group.element.bytes * shape.elements, WideRounds::widest_access);
}

std::optional<CoveringLoads> covering_loads(const KernelView& kernel, const WideGroup& group,
                                            const WideShape& shape, std::string tag) {
  if (!group.read || group.written) return std::nullopt;
  const CoveringLoads loads(
      group.element.bytes * shape.elements, access_bytes(group, shape),
      static_cast<std::uint64_t>(
          kernel.unit.context().getTypeAlignInChars(group.element.type).getQuantity()),
      std::move(tag));
  return loads.possible() ? std::optional(loads) : std::nullopt;
}

std::vector<WideGroup> wide_groups(const KernelView& kernel, const ElementRounds& rounds) {
  const SideBySide elements(kernel, rounds);
  std::vector<WideGroup> groups;
  std::string problem;
  for (const clang::Stmt* statement : rounds.body)
    for (const MemoryAccess& access :
         memory_accesses(kernel, *statement, problem).value_or(std::vector<MemoryAccess>{})) {
      const auto element = elements.element(access);
      if (!element || !kernel.source.range(*access.place)) continue;
      auto group = std::ranges::find(groups, element->key,
                                     [](const WideGroup& known) { return known.element.key; });
      if (group == groups.end())
        group = groups.insert(groups.end(), WideGroup{.element = *element});
      group->accesses.push_back(access);
      group->read = group->read || access.read;
      group->written = group->written || access.written;
    }
  // What no round is certain to touch may not be there, and what is stored at times stays as it is.
  std::erase_if(groups, [&](WideGroup& group) {
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

WideRounds::WideRounds(const KernelView& kernel, const ElementRounds& rounds,
                       std::vector<WideGroup> groups, WideShape shape, unsigned number)
    : kernel_(kernel),
      rounds_(rounds),
      elements_(kernel, rounds),
      groups_(std::move(groups)),
      shape_(shape),
      suffix_(std::to_string(number)),
      type_(elements_.type_text(rounds.variable->getType())) {}

// Rows rarely begin where wide accesses may, so those begin at the anchor's first aligned element.
// Where the other arrays lie otherwise there, they may be reached at any address. What is left at
// both ends is for the last work-items, which have the fewest wide rounds.
std::optional<std::string> WideRounds::loop() const {
  const auto count = bound();
  const std::string begin = kernel_.source.text(*rounds_.loop->begin);
  const std::string step = kernel_.source.text(*rounds_.loop->step);
  const auto original = kernel_.source.statement_range(*rounds_.loop->statement);
  if (!count || begin.empty() || step.empty() || !original) return std::nullopt;
  const std::string at = name("at"), all = name("all"), own = name("own"), end = name("count"),
                    first = name("first"), left = name("left");
  const std::string touched = all_of(touched_if());
  std::string text = "{\n" + packs() + *count + wide_type + " " + own + " = " + begin + ", " + all +
                     " = " + step + ";\n" + mutable_type + " " + at + ", " + first + " = " +
                     head() + ", " + left + " = " + first + " + (" + end + " - " + first + ") % " +
                     elements() + ";\nif (" + (touched.empty() ? "" : touched + " && ") +
                     all_aligned(first) + ") {\n" + rounds(Lie::aligned) + "} else ";
  return text + loose_loop(touched) + "{\n" + left + " = 0;\n" + kernel_.source.text(*original) +
         "\n}\nif (" + left + " > 0)\nfor (" + at + " = " + all + " - 1 - " + own + "; " + at +
         " < " + left + "; " + at + " += " + all + ") {\n" +
         number(at + " < " + first + " ? " + at + " : " + at + " + (" + end + " - " + left + ")") +
         body({}) + "}\n}\n";
}

/// The form for what is not aligned, up to its `else`. What covers the first wide round begins
/// less than one of its accesses before it, and what covers the last ends so: with one set of
/// elements more left at either end, the pieces stay within what the rounds read.
std::string WideRounds::loose_loop(const std::string& touched) const {
  if (!loose()) return {};
  if (!covers())
    return "if (" + (touched.empty() ? "true" : touched) + ") {\n" + rounds(Lie::anywhere) +
           "} else ";
  const std::string first = name("first"), end = name("count");
  return "if (" + (touched.empty() ? "" : touched + " && ") + end + " - " + first +
         " >= " + std::to_string(3 * shape_.elements) + " && " + aligned(anchor(), first) +
         ") {\n" + first + " += " + elements() + ";\n" + name("left") +
         " += " + std::to_string(2 * shape_.elements) + ";\n" + shifts(first) +
         rounds(Lie::anchored) + "} else ";
}

std::optional<std::string> WideRounds::items() const {
  const auto count = bound();
  std::string text;
  for (const clang::Expr* condition : rounds_.other_ways_out) {
    const std::string written = kernel_.source.text(*condition);
    if (written.empty()) return std::nullopt;
    text += "if (" + written + ") return;\n";
  }
  if (!count) return std::nullopt;
  const std::string at = name("at"), nth = name("nth"), end = name("count");
  std::vector<std::string> conditions = touched_if();
  conditions.insert(conditions.begin(), at + " + " + elements() + " <= " + end);
  const std::string room = all_of(conditions);
  text += packs() + *count + wide_type + " " + at + " = (" + wide_value +
          "blockIdx.x * blockDim.x + threadIdx.x) * " + elements() + ";\nif (" + room + " && " +
          all_aligned("0") + ") {\n" + round(1, Lie::aligned) + "} else " + loose_items(room);
  return text + "\nfor (int " + nth + " = 0; " + nth + " < " + elements() + " && " + at + " + " +
         nth + " < " + end + "; ++" + nth + ") {\n" + number(at + " + " + nth) + body({}) + "}\n";
}

/// As `loose_loop`; the first and the last work-item's pieces would lie partly outside.
std::string WideRounds::loose_items(const std::string& room) const {
  if (!loose()) return {};
  if (!covers()) return "if (" + room + ") {\n" + round(1, Lie::anywhere) + "} else ";
  const std::string at = name("at");
  return "if (" + room + " && " + at + " != 0 && " + at + " + " +
         std::to_string(2 * shape_.elements) + " <= " + name("count") + " && " +
         aligned(anchor(), "0") + ") {\n" + shifts("0") + round(1, Lie::anchored) + "} else ";
}

std::string WideRounds::pack(std::size_t group) const {
  return name("pack") + "_" + std::to_string(group);
}

std::string WideRounds::word(std::size_t group) const {
  return name("word") + "_" + std::to_string(group);
}

std::string WideRounds::values(std::size_t group) const {
  return name("values") + "_" + std::to_string(group);
}

/// Whose alignment decides where wide accesses begin: a store to part of a line costs more than a
/// load of it, and smaller elements lie less often right.
const WideGroup& WideRounds::anchor() const {
  return *std::ranges::max_element(groups_, {}, [this](const WideGroup& group) {
    return std::pair(group.written, alignment(group) / group.element.bytes);
  });
}

/// Defines how many rounds there are.
std::optional<std::string> WideRounds::bound() const {
  const std::string all_items = std::string(wide_value) + "gridDim.x * blockDim.x * " + elements();
  if (rounds_.end == nullptr)
    return std::string(wide_type) + " " + name("count") + " = " + all_items + ";\n";
  const std::string written = kernel_.source.text(*rounds_.end);
  if (written.empty()) return std::nullopt;
  const std::string end = name("end"), limit = name("limit");
  std::string text =
      "const " + elements_.type_text(rounds_.end->getType()) + " " + end + " = " + written + ";\n";
  const std::string count = end + " > 0 ? " + wide_value + end + " : 0";
  if (rounds_.loop) return text + wide_type + " " + name("count") + " = " + count + ";\n";
  // Items that the original's grid does not reach are not done.
  return text + wide_type + " " + limit + " = " + count + ", " + name("items") + " = " + all_items +
         ", " + name("count") + " = " + limit + " < " + name("items") + " ? " + limit + " : " +
         name("items") + ";\n";
}

/// Neighbours that are loaded or stored together, and integers of an access's size that lie
/// anywhere: of smaller ones the compiler would not make one access again.
std::string WideRounds::packs() const {
  std::string text;
  for (std::size_t i = 0; i < groups_.size(); ++i)
    text += "struct alignas(" + std::to_string(alignment(groups_[i])) + ") " + pack(i) + " { " +
            elements_.type_text(groups_[i].element.type) + " of[" + elements() + "]; };\n";
  for (std::size_t i = 0; i < groups_.size(); ++i)
    if (groups_[i].written && stored(i) != pack(i))
      text += "struct __attribute__((aligned(" + std::to_string(alignment(groups_[i])) +
              "), may_alias)) " + stored(i) + " { unsigned of[" +
              std::to_string(groups_[i].element.bytes * shape_.elements / 4) + "]; };\n";
  for (std::size_t i = 0; loose() && i < groups_.size(); ++i)
    text += "struct __attribute__((packed, aligned(alignof(" +
            elements_.type_text(groups_[i].element.type) + ")), may_alias)) " + word(i) +
            " { __extension__ " + word_type(alignment(groups_[i])) + " of; };\n";
  for (std::size_t i = 0; i < groups_.size(); ++i)
    if (const auto loads = covering(i)) text += loads->types();
  return text;
}

/// What neighbours are stored as where they are aligned: nvcc takes a record of elements smaller
/// than a word apart again, and stores it in pieces of their size.
std::string WideRounds::stored(std::size_t group) const {
  const std::uint64_t bytes = groups_[group].element.bytes * shape_.elements;
  return groups_[group].element.bytes < 4 && bytes >= 4 ? name("lump") + "_" + std::to_string(group)
                                                        : pack(group);
}

/// How many rounds there are before the anchor's first aligned element, or all.
std::string WideRounds::head() const {
  const WideGroup& group = anchor();
  const std::string beyond =
      "-" + std::string(wide_value) + "(" + elements_.address(group.accesses.front(), "0") +
      ") % " + std::to_string(alignment(group)) + " / " + std::to_string(group.element.bytes);
  return beyond + " < " + name("count") + " ? " + beyond + " : " + name("count");
}

/// Holds where the array's elements from a number on can be reached together.
std::string WideRounds::aligned(const WideGroup& group, const std::string& from) const {
  return std::string(wide_value) + "(" + elements_.address(group.accesses.front(), from) + ") % " +
         std::to_string(alignment(group)) + " == 0";
}

/// The same of every array.
std::string WideRounds::all_aligned(const std::string& from) const {
  std::vector<std::string> conditions;
  for (const WideGroup& group : groups_) conditions.push_back(aligned(group, from));
  return all_of(conditions);
}

/// How a group that is not aligned is loaded by pieces that are; nothing where it is not.
std::optional<CoveringLoads> WideRounds::covering(std::size_t group) const {
  if (!covers() || &groups_[group] == &anchor()) return std::nullopt;
  return covering_loads(kernel_, groups_[group], shape_, suffix_ + "_" + std::to_string(group));
}

bool WideRounds::lies_aligned(std::size_t group, Lie lie) const {
  return lie == Lie::aligned || (lie == Lie::anchored && &groups_[group] == &anchor());
}

std::string WideRounds::shifts(const std::string& from) const {
  std::string text;
  for (std::size_t i = 0; i < groups_.size(); ++i)
    if (const auto loads = covering(i))
      text += loads->shift(elements_.address(groups_[i].accesses.front(), from));
  return text;
}

/// Conditions under which every round touches every array's element, at the next address.
std::vector<std::string> WideRounds::touched_if() const {
  std::vector<std::string> conditions;
  for (const WideGroup& group : groups_) {
    conditions.insert(conditions.end(), group.certain_if.begin(), group.certain_if.end());
    for (const auto& narrow : group.element.narrow)
      conditions.push_back(wide_value + narrow.at_zero + " + " + name("count") +
                           " <= " + std::to_string(narrow.limit) + "ull");
  }
  return conditions;
}

/// First number of the set that `geak_set` counts.
std::string WideRounds::set_begin(unsigned sets) const {
  // What all work-items add comes first: it becomes a scalar register.
  const std::string begin = rounds_.loop ? name("first") + " + " + name("at") : name("at");
  if (sets == 1) return begin;
  return begin + " + " + name("all") + " * " + elements() + " * " + name("set");
}

std::string WideRounds::for_each(const std::string& counter, unsigned times,
                                 const std::string& body) const {
  if (body.empty()) return {};
  return "#pragma unroll\nfor (int " + counter + " = 0; " + counter + " < " +
         std::to_string(times) + "; ++" + counter + ") {\n" + body + "}\n";
}

/// Neighbours from or to where they lie anywhere.
std::string WideRounds::copy(std::size_t group, const std::string& to,
                             const std::string& from) const {
  const std::string part = name("part");
  const auto at = [&](const std::string& constant, const std::string& address) {
    return "reinterpret_cast<" + constant + word(group) + "*>(" + address + ")[" + part + "].of";
  };
  const std::uint64_t bytes = groups_[group].element.bytes * shape_.elements;
  return for_each(part, static_cast<unsigned>(bytes / alignment(groups_[group])),
                  at("", to) + " = " + at("const ", from) + ";\n");
}

/// `sets` times so many neighbours: all loads, the rounds, all stores.
std::string WideRounds::round(unsigned sets, Lie lie) const {
  const std::string set = name("set"), nth = name("nth");
  std::string declarations, loads, shifted, stores;
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    const std::string address = elements_.address(groups_[i].accesses.front(), set_begin(sets));
    const std::string mine = values(i) + "[" + set + "]";
    declarations += pack(i) + " " + values(i) + "[" + std::to_string(sets) + "];\n";
    const auto covers = lie == Lie::anchored ? covering(i) : std::nullopt;
    if (covers) {
      declarations += covers->room(sets);
      loads += "{\n" + covers->load(address, set) + "}\n";
      shifted += "{\n" + covers->take(mine, set) + "}\n";
    } else if (groups_[i].read) {
      loads += lies_aligned(i, lie)
                   ? mine + " = *reinterpret_cast<const " + pack(i) + "*>(" + address + ");\n"
                   : copy(i, "&" + mine, address);
    }
    if (groups_[i].written)
      stores += lies_aligned(i, lie)
                    ? "*reinterpret_cast<" + stored(i) + "*>(" + address +
                          ") = *reinterpret_cast<const " + stored(i) + "*>(&" + mine + ");\n"
                    : copy(i, address, "&" + mine);
  }
  const std::string rounds =
      for_each(nth, shape_.elements, number(set_begin(sets) + " + " + nth) + body_in_registers());
  return declarations + for_each(set, sets, loads) + for_each(set, sets, shifted + rounds) +
         for_each(set, sets, stores);
}

/// Loops of wide rounds over all but `geak_left`.
std::string WideRounds::rounds(Lie lie) const {
  const std::string at = name("at"), all = name("all");
  const auto advance = [&](unsigned sets) {
    const auto items = [&](unsigned of) { return std::to_string(of * shape_.elements); };
    return "for (; " + at + " + " + (sets > 1 ? all + " * " + items(sets - 1) + " + " : "") +
           elements() + " <= " + name("count") + " - " + name("left") + "; " + at + " += " + all +
           " * " + items(sets) + ") {\n" + round(sets, lie) + "}\n";
  };
  return at + " = " + name("own") + " * " + elements() + ";\n" +
         (shape_.in_flight > 1 ? advance(shape_.in_flight) : "") + advance(1);
}

std::string WideRounds::number(const std::string& value) const {
  return "__attribute__((unused)) const " + type_ + " " + rounds_.variable->getNameAsString() +
         " = (" + type_ + ")(" + value + ");\n";
}

std::string WideRounds::body_in_registers() const {
  TextEdits edits;
  for (std::size_t i = 0; i < groups_.size(); ++i)
    for (const MemoryAccess& access : groups_[i].accesses)
      edits.replace(*kernel_.source.range(*access.place),
                    values(i) + "[" + name("set") + "].of[" + name("nth") + "]");
  return body(edits);
}

std::string WideRounds::body(const TextEdits& edits) const {
  std::string text;
  for (const clang::Stmt* statement : rounds_.body)
    text += edits.apply(kernel_.source.text(), *kernel_.source.statement_range(*statement)) + "\n";
  return text;
}

}  // namespace geak::clang_tool::transforms
