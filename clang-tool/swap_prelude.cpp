#include "clang-tool/swap_prelude.h"

#include <stdexcept>
#include <vector>

namespace geak::clang_tool {
namespace {

// The host's half of support::LaunchChange::apply; swap_prelude_test holds both against each other.
constexpr const char* prelude = R"(#ifndef GEAK_SWAP_PRELUDE
#define GEAK_SWAP_PRELUDE
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Weverything"
#include <stdlib.h>
namespace geak_swap {
enum Rule { keep, set, multiply, divide, cover };
static inline bool enabled() {
  static const bool on = [] {
    const char* off = ::getenv("GEAK_DISABLE");
    return off == nullptr || off[0] == '\0' || (off[0] == '0' && off[1] == '\0');
  }();
  return on;
}
static inline bool axis(unsigned& grid, unsigned& block, Rule block_rule, unsigned block_value,
                        Rule grid_rule, unsigned grid_value) {
  const unsigned long long g = grid, b = block;
  const unsigned long long nb = block_rule == set        ? block_value
                                : block_rule == multiply ? b * block_value
                                : block_rule == divide
                                    ? (block_value != 0 && b % block_value == 0 ? b / block_value : 0)
                                    : b;
  const unsigned long long each = nb * grid_value;
  const unsigned long long ng = grid_rule == set        ? grid_value
                                : grid_rule == multiply ? g * grid_value
                                : grid_rule == divide
                                    ? (grid_value != 0 && g % grid_value == 0 ? g / grid_value : 0)
                                : grid_rule == cover ? (each == 0 ? 0 : (g * b + each - 1) / each)
                                                     : g;
  if (nb == 0 || nb > 1024 || ng == 0 || ng > 0xffffffffull) return false;
  grid = static_cast<unsigned>(ng);
  block = static_cast<unsigned>(nb);
  return true;
}
static inline bool lds(size_t& bytes, unsigned long long old_threads, unsigned long long threads,
                       bool scale, unsigned long long added, unsigned long long per_thread) {
  if (threads > 1024) return false;
  unsigned long long total = bytes;
  if (scale) {
    if (old_threads == 0 || total * threads % old_threads != 0) return false;
    total = total * threads / old_threads;
  }
  total += added + per_thread * threads;
  if (total > 0xffffffffull) return false;
  bytes = static_cast<size_t>(total);
  return true;
}
// HIP's own, under names that its headers do not know: they may come later or not at all.
extern "C" int hip_address_range(void**, size_t*, void*) __asm__("hipMemGetAddressRange");
extern "C" int hip_peek_error() __asm__("hipPeekAtLastError");
extern "C" int hip_take_error() __asm__("hipGetLastError");
// The allocation that an address lies in; a query that fails leaves no error for the program.
static inline bool allocation(const void* at, void*& base, size_t& bytes) {
  if (hip_peek_error() != 0) return false;
  if (hip_address_range(&base, &bytes, const_cast<void*>(at)) == 0) return true;
  (void)hip_take_error();
  return false;
}
// Two addresses lie in different allocations.
static inline bool apart(const void* a, const void* b) {
  void *first = nullptr, *second = nullptr;
  size_t bytes = 0;
  return allocation(a, first, bytes) && allocation(b, second, bytes) && first != second;
}
// So many bytes from an address on lie in its allocation.
static inline bool readable(const void* at, double needed) {
  void* base = nullptr;
  size_t bytes = 0;
  if (!allocation(at, base, bytes)) return false;
  const size_t before = static_cast<size_t>(static_cast<const char*>(at) - static_cast<char*>(base));
  return needed <= static_cast<double>(bytes - before);
}
}  // namespace geak_swap
#pragma clang diagnostic pop
#endif
)";

const char* name_of(support::BlockRule rule) {
  switch (rule) {
    case support::BlockRule::keep:
      return "geak_swap::keep";
    case support::BlockRule::set:
      return "geak_swap::set";
    case support::BlockRule::multiply:
      return "geak_swap::multiply";
    case support::BlockRule::divide:
      return "geak_swap::divide";
  }
  return "";
}

const char* name_of(support::GridRule rule) {
  switch (rule) {
    case support::GridRule::keep:
      return "geak_swap::keep";
    case support::GridRule::set:
      return "geak_swap::set";
    case support::GridRule::multiply:
      return "geak_swap::multiply";
    case support::GridRule::divide:
      return "geak_swap::divide";
    case support::GridRule::cover:
      return "geak_swap::cover";
  }
  return "";
}

class ConditionText {
 public:
  explicit ConditionText(const std::vector<std::string>& parameters) : parameters_(parameters) {}

  std::string operator()(const support::Condition& condition) const {
    using Kind = support::Condition::Kind;
    const std::string value = std::to_string(condition.value) + "LL";
    switch (condition.kind) {
      case Kind::block_equals:
        return axis("geak_block", condition) + " == " + value;
      case Kind::block_multiple:
        return axis("geak_block", condition) + " % " + value + " == 0";
      case Kind::grid_equals:
        return axis("geak_grid", condition) + " == " + value;
      case Kind::items_multiple:
        return axis("geak_grid", condition) + " * " + axis("geak_block", condition) + " % " +
               value + " == 0";
      case Kind::argument_equals:
        return number(condition.index) + " == " + value;
      case Kind::argument_multiple:
        return number(condition.index) + " % " + value + " == 0";
      case Kind::argument_at_least:
        return number(condition.index) + " >= " + value;
      case Kind::argument_at_most:
        return number(condition.index) + " <= " + value;
      case Kind::argument_aligned:
        return pointer(condition.index) + " % " + value + " == 0";
      case Kind::arguments_distinct:
        return pointer(condition.index) +
               " != " + pointer(static_cast<std::uint32_t>(condition.value));
    }
    throw std::invalid_argument("launch change: unknown condition");
  }

 private:
  static std::string axis(const char* extent, const support::Condition& condition) {
    if (condition.index > 2) throw std::invalid_argument("launch change: no such axis");
    return std::string("(long long)") + extent + "." + "xyz"[condition.index];
  }
  const std::string& name(std::uint32_t position) const {
    if (position >= parameters_.size())
      throw std::invalid_argument("launch change: the kernel has no parameter " +
                                  std::to_string(position));
    return parameters_[position];
  }
  std::string number(std::uint32_t position) const { return "(long long)" + name(position); }
  std::string pointer(std::uint32_t position) const { return "(size_t)" + name(position); }

  const std::vector<std::string>& parameters_;
};

std::string threads_of(const std::string& block) {
  return "(unsigned long long)" + block + ".x * " + block + ".y * " + block + ".z";
}

}  // namespace

std::string swap_prelude() { return prelude; }

std::string render(const support::LaunchChange& change,
                   const std::vector<std::string>& parameters) {
  const ConditionText text_of_condition(parameters);
  std::string text;
  const auto also = [&](const std::string& condition) {
    text += (text.empty() ? "" : " && ") + condition;
  };
  for (const support::Condition& condition : change.conditions)
    also("(" + text_of_condition(condition) + ")");
  for (std::size_t i = 0; i < 3; ++i) {
    const support::AxisChange& axis = change.axes[i];
    if (axis == support::AxisChange{}) continue;
    const std::string name(1, "xyz"[i]);
    also("geak_swap::axis(geak_g." + name + ", geak_b." + name + ", " + name_of(axis.block) + ", " +
         std::to_string(axis.block_value) + "u, " + name_of(axis.grid) + ", " +
         std::to_string(axis.grid_value) + "u)");
  }
  if (!change.keeps_launch())
    also("geak_swap::lds(geak_l, " + threads_of("geak_block") + ", " + threads_of("geak_b") + ", " +
         (change.lds.scale_with_block ? "true" : "false") + ", " +
         std::to_string(change.lds.bytes_added) + "u, " +
         std::to_string(change.lds.bytes_per_thread) + "u)");
  return text.empty() ? "true" : text;
}

}  // namespace geak::clang_tool
