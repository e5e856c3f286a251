#include "clang-tool/transforms/transform.h"

#include <clang/AST/Decl.h>
#include <clang/AST/Stmt.h>

#include <algorithm>

namespace geak::clang_tool::transforms {
namespace {

/// The value that `project` gives for every element, if there are any and all agree.
template <typename Range, typename Project>
auto common(const Range& range, Project project)
    -> std::optional<std::decay_t<decltype(project(*range.begin()))>> {
  if (range.empty()) return std::nullopt;
  const auto first = project(*range.begin());
  for (const auto& element : range)
    if (project(element) != first) return std::nullopt;
  return first;
}

}  // namespace

const clang::CompoundStmt& KernelView::body() const {
  return *llvm::cast<clang::CompoundStmt>(function.getBody());
}

std::optional<support::Extent> KernelView::block() const {
  return common(runs, [](const support::Launch& run) { return run.block; });
}

std::optional<support::Extent> KernelView::original_block() const {
  return common(seen, [](const SeenLaunch& launch) { return launch.launch.block; });
}

std::optional<support::Extent> KernelView::grid() const {
  return common(runs, [](const support::Launch& run) { return run.grid; });
}

std::optional<std::int64_t> KernelView::argument(unsigned position) const {
  const auto value = common(seen, [&](const SeenLaunch& launch) {
    return position < launch.arguments.size() ? launch.arguments[position] : std::nullopt;
  });
  return value ? *value : std::nullopt;
}

void Draft::require(const support::Condition& condition) {
  if (std::ranges::find(launch.conditions, condition) == launch.conditions.end())
    launch.conditions.push_back(condition);
}

void Draft::require(const std::string& guard) {
  if (std::ranges::find(guards, guard) == guards.end()) guards.push_back(guard);
}

}  // namespace geak::clang_tool::transforms
