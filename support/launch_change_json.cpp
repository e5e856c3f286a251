#include "support/launch_change.h"

#include <array>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

namespace geak::support {
namespace {

template <typename Enum>
using Names = std::pair<Enum, std::string_view>;

constexpr std::array block_rules{Names<BlockRule>{BlockRule::keep, "keep"},
                                 Names<BlockRule>{BlockRule::set, "set"},
                                 Names<BlockRule>{BlockRule::multiply, "multiply"},
                                 Names<BlockRule>{BlockRule::divide, "divide"}};

constexpr std::array grid_rules{
    Names<GridRule>{GridRule::keep, "keep"}, Names<GridRule>{GridRule::set, "set"},
    Names<GridRule>{GridRule::multiply, "multiply"}, Names<GridRule>{GridRule::divide, "divide"},
    Names<GridRule>{GridRule::cover, "cover"}};

using Kind = Condition::Kind;
constexpr std::array condition_kinds{Names<Kind>{Kind::block_equals, "block_equals"},
                                     Names<Kind>{Kind::block_multiple, "block_multiple"},
                                     Names<Kind>{Kind::grid_equals, "grid_equals"},
                                     Names<Kind>{Kind::items_multiple, "items_multiple"},
                                     Names<Kind>{Kind::argument_equals, "argument_equals"},
                                     Names<Kind>{Kind::argument_multiple, "argument_multiple"},
                                     Names<Kind>{Kind::argument_at_least, "argument_at_least"},
                                     Names<Kind>{Kind::argument_at_most, "argument_at_most"},
                                     Names<Kind>{Kind::argument_aligned, "argument_aligned"},
                                     Names<Kind>{Kind::arguments_distinct, "arguments_distinct"}};

template <typename Table, typename Enum>
std::string name_of(const Table& table, Enum value) {
  for (const auto& [candidate, name] : table)
    if (candidate == value) return std::string(name);
  throw std::invalid_argument("launch change: value without a name");
}

template <typename Table>
auto value_of(const Table& table, const std::string& wanted) {
  for (const auto& [candidate, name] : table)
    if (name == wanted) return candidate;
  throw std::invalid_argument("launch change: unknown name '" + wanted + "'");
}

nlohmann::json axis_to_json(const AxisChange& axis) {
  auto json = nlohmann::json::object();
  if (axis.block != BlockRule::keep)
    json["block"] = {{"rule", name_of(block_rules, axis.block)}, {"value", axis.block_value}};
  if (axis.grid != GridRule::keep)
    json["grid"] = {{"rule", name_of(grid_rules, axis.grid)}, {"value", axis.grid_value}};
  return json;
}

AxisChange axis_from_json(const nlohmann::json& json) {
  AxisChange axis;
  if (const auto block = json.find("block"); block != json.end()) {
    axis.block = value_of(block_rules, block->at("rule").get<std::string>());
    axis.block_value = block->value("value", 1U);
  }
  if (const auto grid = json.find("grid"); grid != json.end()) {
    axis.grid = value_of(grid_rules, grid->at("rule").get<std::string>());
    axis.grid_value = grid->value("value", 1U);
  }
  return axis;
}

constexpr std::array<const char*, 3> axis_names{"x", "y", "z"};

}  // namespace

void to_json(nlohmann::json& json, const Launch& launch) {
  json = {{"grid", launch.grid}, {"block", launch.block}, {"dynamic_lds", launch.dynamic_lds}};
}

void from_json(const nlohmann::json& json, Launch& launch) {
  json.at("grid").get_to(launch.grid);
  json.at("block").get_to(launch.block);
  launch.dynamic_lds = json.value("dynamic_lds", 0U);
}

void to_json(nlohmann::json& json, const LaunchChange& change) {
  json = nlohmann::json::object();
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (change.axes[axis] != AxisChange{}) json[axis_names[axis]] = axis_to_json(change.axes[axis]);
  if (change.lds != LdsChange{})
    json["lds"] = {{"scale_with_block", change.lds.scale_with_block},
                   {"bytes_added", change.lds.bytes_added},
                   {"bytes_per_thread", change.lds.bytes_per_thread}};
  for (const Condition& condition : change.conditions)
    json["conditions"].push_back({{"kind", name_of(condition_kinds, condition.kind)},
                                  {"index", condition.index},
                                  {"value", condition.value}});
  if (change.passes) json["passes"] = *change.passes;
  if (change.guard) json["guard"] = *change.guard;
}

void from_json(const nlohmann::json& json, LaunchChange& change) {
  change = {};
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (const auto found = json.find(axis_names[axis]); found != json.end())
      change.axes[axis] = axis_from_json(*found);
  if (const auto lds = json.find("lds"); lds != json.end()) {
    change.lds.scale_with_block = lds->value("scale_with_block", false);
    change.lds.bytes_added = lds->value("bytes_added", 0U);
    change.lds.bytes_per_thread = lds->value("bytes_per_thread", 0U);
  }
  if (const auto list = json.find("conditions"); list != json.end())
    for (const auto& entry : *list)
      change.conditions.push_back({value_of(condition_kinds, entry.at("kind").get<std::string>()),
                                   entry.value("index", 0U),
                                   entry.value("value", std::int64_t{0})});
  if (const auto passes = json.find("passes"); passes != json.end())
    change.passes = passes->get<PassRule>();
  if (const auto guard = json.find("guard"); guard != json.end())
    change.guard = guard->get<GuardExpression>();
}

}  // namespace geak::support
