#include "support/pass_rule.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include <nlohmann/json.hpp>

#include "support/launch_change.h"

namespace geak::support {
namespace {

using pass_rule::PassAccess;
using pass_rule::PassOp;
using pass_rule::PassWindow;

void check(const PassRule& rule) {
  const auto refuse = [](const char* what) {
    throw std::invalid_argument(std::string("pass rule: ") + what);
  };
  if (rule.ops.size() > pass_rule::most_pass_ops ||
      rule.accesses.size() > pass_rule::most_pass_accesses)
    refuse("too many operations");
  const auto is_argument = [](std::int64_t position) {
    return position >= 0 && position < pass_rule::most_pass_accesses;
  };
  if (!is_argument(rule.argument)) refuse("no such argument");
  if (rule.most < 1 || rule.most > 0x7fff) refuse("no such number of passes");
  for (std::size_t i = 0; i < rule.ops.size(); ++i) {
    const PassOp& op = rule.ops[i];
    const auto is_earlier = [&](int index) {
      return index >= 0 && static_cast<std::size_t>(index) < i;
    };
    if (op.kind < pass_rule::pass_unknown || op.kind > pass_rule::pass_xor ||
        (op.bits != 32 && op.bits != 64))
      refuse("unknown operation");
    if (op.kind >= pass_rule::pass_add && (!is_earlier(op.left) || !is_earlier(op.right)))
      refuse("an operand that is none");
    if (op.kind == pass_rule::pass_argument && !is_argument(op.value)) refuse("no such argument");
  }
  for (const PassAccess& access : rule.accesses)
    if (access.op < 0 || static_cast<std::size_t>(access.op) >= rule.ops.size() ||
        !is_argument(access.memory))
      refuse("an access that is none");
  for (const PassWindow& window : rule.windows)
    if (!is_argument(window.memory) || window.elements < 1) refuse("a window that is none");
}

bool equal(const PassOp& a, const PassOp& b) {
  return a.kind == b.kind && a.left == b.left && a.right == b.right && a.value == b.value &&
         a.bits == b.bits && a.is_signed == b.is_signed;
}

bool equal(const PassWindow& a, const PassWindow& b) {
  return a.memory == b.memory && a.elements == b.elements;
}

bool equal(const PassAccess& a, const PassAccess& b) {
  return a.op == b.op && a.memory == b.memory;
}

}  // namespace

std::uint32_t PassRule::passes(const Launch& launch, std::vector<std::int64_t> arguments) const {
  check(*this);
  std::vector<long long> values(arguments.begin(), arguments.end());
  values.resize(std::max<std::size_t>(values.size(), pass_rule::most_pass_accesses));
  const pass_rule::PassLaunch shape{{launch.grid[0], launch.grid[1], launch.grid[2]},
                                    {launch.block[0], launch.block[1], launch.block[2]}};
  const pass_rule::PassTable table{ops.data(),
                                   static_cast<int>(ops.size()),
                                   accesses.data(),
                                   static_cast<int>(accesses.size()),
                                   windows.data(),
                                   static_cast<int>(windows.size()),
                                   static_cast<int>(argument),
                                   advance,
                                   step};
  return pass_rule::count_passes(table, shape, values.data(), most);
}

std::int64_t PassRule::after(std::int64_t value) const {
  long long next = value;
  pass_rule::next_pass(advance, step, next);
  return next;
}

std::int64_t PassRule::packed(std::int64_t first, std::uint32_t passes) {
  return first + (std::int64_t{passes} << 16);
}

bool PassRule::operator==(const PassRule& other) const {
  return argument == other.argument && advance == other.advance && step == other.step &&
         most == other.most &&
         std::ranges::equal(ops, other.ops,
                            [](const auto& a, const auto& b) { return equal(a, b); }) &&
         std::ranges::equal(accesses, other.accesses,
                            [](const auto& a, const auto& b) { return equal(a, b); }) &&
         std::ranges::equal(windows, other.windows,
                            [](const auto& a, const auto& b) { return equal(a, b); });
}

void to_json(nlohmann::json& json, const PassRule& rule) {
  auto ops = nlohmann::json::array();
  for (const PassOp& op : rule.ops)
    ops.push_back({op.kind, op.left, op.right, op.value, op.bits, op.is_signed});
  auto accesses = nlohmann::json::array();
  for (const PassAccess& access : rule.accesses) accesses.push_back({access.op, access.memory});
  json = {{"argument", rule.argument},
          {"advance", rule.advance},
          {"step", rule.step},
          {"most", rule.most},
          {"ops", ops},
          {"accesses", accesses}};
  for (const PassWindow& window : rule.windows)
    json["windows"].push_back(nlohmann::json::array({window.memory, window.elements}));
}

void from_json(const nlohmann::json& json, PassRule& rule) {
  rule = {};
  json.at("argument").get_to(rule.argument);
  json.at("advance").get_to(rule.advance);
  json.at("step").get_to(rule.step);
  json.at("most").get_to(rule.most);
  for (const auto& op : json.at("ops"))
    rule.ops.push_back({op.at(0).get<int>(), op.at(1).get<int>(), op.at(2).get<int>(),
                        op.at(3).get<long long>(), op.at(4).get<int>(), op.at(5).get<bool>()});
  for (const auto& access : json.at("accesses"))
    rule.accesses.push_back({access.at(0).get<int>(), access.at(1).get<int>()});
  if (const auto windows = json.find("windows"); windows != json.end())
    for (const auto& window : *windows)
      rule.windows.push_back({window.at(0).get<int>(), window.at(1).get<long long>()});
  check(rule);
}

}  // namespace geak::support
