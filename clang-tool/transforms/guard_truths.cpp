#include "clang-tool/transforms/guard_truths.h"

#include <algorithm>
#include <stdexcept>

#include "clang-tool/guards_of_unit.h"
#include "clang-tool/launch_wrapper.h"

namespace geak::clang_tool::transforms {
namespace {

std::string name_of(std::size_t nth) { return "geak_guard_" + std::to_string(nth); }

std::optional<std::int64_t> argument(const SeenLaunch& seen, std::uint32_t position) {
  return position < seen.arguments.size() ? seen.arguments[position] : std::nullopt;
}

support::GuardFacts facts_of(const SeenLaunch& seen) {
  support::GuardFacts facts;
  facts.argument = [&seen](std::uint32_t position, std::uint32_t offset,
                           std::uint32_t bytes) -> std::optional<std::uint64_t> {
    const auto value = argument(seen, position);
    if (!value || offset != 0) return std::nullopt;
    const auto bits = static_cast<std::uint64_t>(*value);
    return bytes >= 8 ? bits : bits & ((std::uint64_t{1} << (8 * bytes)) - 1);
  };
  facts.allocation = [&seen](
                         std::uint32_t position,
                         std::uint32_t offset) -> std::optional<support::GuardFacts::Allocation> {
    // Null lies in none; of other addresses it is not known how much lies around them.
    if (offset == 0 && argument(seen, position) == 0) return support::GuardFacts::Allocation{};
    return std::nullopt;
  };
  return facts;
}

/// A condition that would end the program is none that holds.
std::optional<bool> truth(const support::GuardExpression& guard, const SeenLaunch& seen) {
  try {
    return support::holds(guard, seen.launch, facts_of(seen));
  } catch (const support::GuardFault&) {
    return false;
  }
}

}  // namespace

std::vector<std::string> GuardTruths::unknown(const std::vector<const Draft*>& drafts) const {
  std::vector<std::string> guards;
  if (seen_.empty()) return guards;
  for (const Draft* draft : drafts)
    for (const std::string& guard : draft->guards)
      if (!truths_.contains(guard) && std::ranges::find(guards, guard) == guards.end())
        guards.push_back(guard);
  return guards;
}

void GuardTruths::ask_about(const clang::FunctionDecl& kernel,
                            const std::string& template_arguments) {
  try {
    head_ =
        "\nnamespace geak_swap { bool apart(const void*, const void*); "
        "bool readable(const void*, double); }\n" +
        wrapper_signature(kernel) + " {\n";
  } catch (const std::invalid_argument&) {
    return;  // its parameters cannot be written again: nothing is asked
  }
  tail_ = "}\n";
  if (!template_arguments.empty())
    tail_ += "[[maybe_unused]] static auto* const geak_asked = &" + wrapper_name(kernel) + "<" +
             template_arguments + ">;\n";
}

std::string GuardTruths::question(const std::vector<std::string>& guards) const {
  if (head_.empty()) return {};
  std::string text = head_;
  for (std::size_t i = 0; i < guards.size(); ++i)
    text += "const bool " + name_of(i) + " = (" + guards[i] + ");\n";
  return text + tail_;
}

void GuardTruths::learn(const TranslationUnit& unit, const std::vector<std::string>& guards) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < guards.size(); ++i) names.push_back(name_of(i));
  const auto readings = read_variables(unit, names);
  for (std::size_t i = 0; i < guards.size(); ++i) {
    auto& truths = truths_[guards[i]];
    truths.assign(seen_.size(), std::nullopt);
    const auto found = readings.find(names[i]);
    if (found == readings.end() || !found->second.expression) continue;
    for (std::size_t at = 0; at < seen_.size(); ++at)
      truths[at] = truth(*found->second.expression, seen_[at]);
  }
}

void GuardTruths::give_up(const std::vector<std::string>& guards) {
  for (const std::string& guard : guards) truths_[guard].assign(seen_.size(), std::nullopt);
}

bool GuardTruths::may_run(const Draft& draft) const {
  if (seen_.empty()) return true;
  for (std::size_t at = 0; at < seen_.size(); ++at) {
    const auto fails = [&](const std::string& guard) {
      const auto known = truths_.find(guard);
      return known != truths_.end() && known->second[at] == false;
    };
    bool known = true;
    const auto value = [&](std::uint32_t position) {
      const auto found = argument(seen_[at], position);
      known = known && found;
      return found;
    };
    if (std::ranges::any_of(draft.guards, fails)) continue;
    if (draft.launch.apply(seen_[at].launch, value) || !known) return true;
  }
  return false;
}

}  // namespace geak::clang_tool::transforms
