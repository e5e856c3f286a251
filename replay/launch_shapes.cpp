#include "replay/launch_shapes.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <tuple>
#include <utility>

namespace geak::replay {
namespace {

ShapedLaunch shaped(const LaunchRecord& launch, std::size_t index) {
  ShapedLaunch found{index, work_items(launch), ""};
  found.text = std::to_string(found.work_items) + " work-items in workgroups of " +
               std::to_string(launch.block[0]) + "x" + std::to_string(launch.block[1]) + "x" +
               std::to_string(launch.block[2]);
  if (launch.dynamic_lds) found.text += " with " + std::to_string(launch.dynamic_lds) + " bytes";
  return found;
}

}  // namespace

std::vector<ShapedLaunch> largest_of_each_shape(const std::vector<LaunchRecord>& launches,
                                                const std::string& kernel,
                                                const std::vector<std::size_t>& among) {
  using Shape = std::tuple<std::array<std::uint32_t, 3>, std::uint32_t, bool>;
  std::map<Shape, ShapedLaunch> largest;
  std::size_t index = 0;
  for (const auto& launch : launches) {
    if (launch.kernel != kernel) continue;
    auto found = shaped(launch, index++);
    if (std::ranges::find(among, found.index) == among.end()) continue;
    const auto [entry, is_new] =
        largest.try_emplace({launch.block, launch.dynamic_lds, launch.cooperative}, found);
    if (!is_new && entry->second.work_items < found.work_items) entry->second = std::move(found);
  }
  std::vector<ShapedLaunch> all;
  for (auto& [shape, launch] : largest) all.push_back(std::move(launch));
  std::ranges::sort(all, std::greater{},
                    [](const auto& launch) { return std::pair(launch.work_items, launch.index); });
  return all;
}

}  // namespace geak::replay
