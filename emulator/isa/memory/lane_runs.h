// Runs of neighbouring lanes whose elements lie at equal distances.
#pragma once

#include <cstdint>

namespace geak::emulator {

// Eight lanes are a run: workgroups of two or three dimensions make rows of so many and more.
inline constexpr unsigned kRunLanes = 8;
// Instead of a distance: the lanes form no runs, or runs of different distances.
inline constexpr std::int32_t kNoRuns = -1;

}  // namespace geak::emulator
