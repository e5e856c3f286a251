// Names of attacks that several parts give: "number: what it does", as `ctest -L attack` has them.
#pragma once

namespace geak::replay {

inline constexpr const char* kRaces = "21: races and nondeterminism";
inline constexpr const char* kLooksAround = "8: behaves by what lies around its buffers";

}  // namespace geak::replay
