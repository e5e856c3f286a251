// Launches that differ from the recorded one in what its values never showed: arguments passed by
// value, memory that held one value throughout, numbers beyond the recorded range. A candidate that
// has such a value built in is right on everything that was recorded.
//
// Whether the original has a result there is for the caller to find out: an integer that looks
// like a flag may be a stride.
#pragma once

#include <vector>

#include "replay/judge/element_type.h"
#include "replay/judge/sizes.h"

namespace geak::replay {

// All floating-point arguments changed at once, and each integer that is no size (`sizes`) and
// looks like a mode (0 to 3) or a seed (2^20 and above) by itself. Structs count as the words in
// them.
struct OtherArguments {
  LaunchRecord record;  // its memory is the recorded one
  std::string what;     // "2 in place of 1 (argument 3)"
};
std::vector<OtherArguments> other_arguments(const LaunchRecord& launch,
                                            const KernelMetadata& kernel,
                                            const std::vector<std::string>& types,
                                            const std::vector<SizeArgument>& sizes);

// Memory that was only read and holds one value (or one element), with others in it. `read`:
// regions that the launch leaves as they are. `types`: what their elements are, as far as that is
// known: zeros do not say it, and are tried as floats and as integers.
std::vector<OtherLaunch> other_constants(const LaunchRecord& launch, const Image& before,
                                         const std::vector<bool>& read,
                                         const std::vector<ElementType>& types);

// One floating-point number of 64 in memory that was only read is NaN or infinite.
std::optional<OtherLaunch> not_numbers(const LaunchRecord& launch, const Image& before,
                                       const std::vector<bool>& read);

// One floating-point number of 64 in memory that was only read 256 times as large; none where
// nothing there is floating-point.
std::optional<OtherLaunch> large_values(const LaunchRecord& launch, const Image& before,
                                        const std::vector<bool>& read);

}  // namespace geak::replay
