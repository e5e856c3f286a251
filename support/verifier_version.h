// Version of what judges variants: recording, replay, comparison, static gates.
#pragma once

namespace geak::support {

// Part of every key (KeyOptions::verifier), so raising it makes all that was verified before
// unknown. Raise it when something that would now be rejected could have been accepted before.
inline constexpr const char* verifier_version = "2";

}  // namespace geak::support
