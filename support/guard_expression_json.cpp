#include <array>
#include <utility>

#include <nlohmann/json.hpp>

#include "support/guard_expression.h"

namespace geak::support {
namespace {

using Op = GuardExpression::Op;
using Type = GuardExpression::Type;

constexpr int most_depth = 200;

constexpr std::array types{std::pair{Type::boolean, "bool"}, std::pair{Type::i8, "i8"},
                           std::pair{Type::u8, "u8"},        std::pair{Type::i16, "i16"},
                           std::pair{Type::u16, "u16"},      std::pair{Type::i32, "i32"},
                           std::pair{Type::u32, "u32"},      std::pair{Type::i64, "i64"},
                           std::pair{Type::u64, "u64"},      std::pair{Type::f32, "f32"},
                           std::pair{Type::f64, "f64"},      std::pair{Type::pointer, "pointer"}};

constexpr std::array ops{std::pair{Op::constant, "constant"},
                         std::pair{Op::argument, "argument"},
                         std::pair{Op::grid, "grid"},
                         std::pair{Op::block, "block"},
                         std::pair{Op::dynamic_lds, "dynamic_lds"},
                         std::pair{Op::convert, "convert"},
                         std::pair{Op::negative, "negative"},
                         std::pair{Op::logical_not, "!"},
                         std::pair{Op::complement, "~"},
                         std::pair{Op::sum, "+"},
                         std::pair{Op::difference, "-"},
                         std::pair{Op::product, "*"},
                         std::pair{Op::quotient, "/"},
                         std::pair{Op::remainder, "%"},
                         std::pair{Op::shift_left, "<<"},
                         std::pair{Op::shift_right, ">>"},
                         std::pair{Op::less, "<"},
                         std::pair{Op::at_most, "<="},
                         std::pair{Op::equal, "=="},
                         std::pair{Op::bit_and, "&"},
                         std::pair{Op::bit_or, "|"},
                         std::pair{Op::bit_xor, "^"},
                         std::pair{Op::all, "&&"},
                         std::pair{Op::any, "||"},
                         std::pair{Op::apart, "apart"},
                         std::pair{Op::readable, "readable"}};

template <typename Table, typename Enum>
std::string name_of(const Table& table, Enum value) {
  for (const auto& [candidate, name] : table)
    if (candidate == value) return name;
  throw std::invalid_argument("guard: value without a name");
}

template <typename Table>
auto value_of(const Table& table, const std::string& wanted) {
  for (const auto& [candidate, name] : table)
    if (name == wanted) return candidate;
  throw std::invalid_argument("guard: unknown name '" + wanted + "'");
}

std::size_t operands_of(Op op) {
  switch (op) {
    case Op::constant:
    case Op::argument:
    case Op::grid:
    case Op::block:
    case Op::dynamic_lds:
      return 0;
    case Op::convert:
    case Op::negative:
    case Op::logical_not:
    case Op::complement:
      return 1;
    default:
      return 2;
  }
}

GuardExpression read(const nlohmann::json& json, int depth) {
  if (depth > most_depth) throw std::invalid_argument("guard: nested too deeply");
  GuardExpression guard;
  guard.op = value_of(ops, json.at("op").get<std::string>());
  guard.type = value_of(types, json.at("type").get<std::string>());
  guard.index = json.value("index", 0U);
  guard.bits = json.value("bits", std::uint64_t{0});
  if (const auto operands = json.find("of"); operands != json.end())
    for (const auto& operand : *operands) guard.operands.push_back(read(operand, depth + 1));
  if (guard.operands.size() != operands_of(guard.op))
    throw std::invalid_argument("guard: '" + name_of(ops, guard.op) + "' takes " +
                                std::to_string(operands_of(guard.op)) + " operands");
  return guard;
}

}  // namespace

void to_json(nlohmann::json& json, const GuardExpression& guard) {
  json = {{"op", name_of(ops, guard.op)}, {"type", name_of(types, guard.type)}};
  if (guard.index != 0) json["index"] = guard.index;
  if (guard.bits != 0) json["bits"] = guard.bits;
  for (const auto& operand : guard.operands) {
    nlohmann::json inner;
    to_json(inner, operand);
    json["of"].push_back(std::move(inner));
  }
}

void from_json(const nlohmann::json& json, GuardExpression& guard) { guard = read(json, 0); }

}  // namespace geak::support
