// Version of what judges variants: recording, replay, comparison, static gates.
#pragma once

#include <cstdio>
#include <optional>
#include <string>

namespace geak::support {

// Part of every key (KeyOptions::verifier), so raising it makes all that was verified before
// unknown. Raise it when something that would now be rejected could have been accepted before, and
// when the model takes other times than before: gains of two models are not held against each
// other.
inline constexpr const char* verifier_version = "6";

// ", within TOLERANCE 0.01": shown wherever a variant is shown that the user's own tolerance
// admitted; empty where geak judged by itself.
inline std::string tolerance_note(std::optional<double> tolerance) {
  if (!tolerance) return "";
  char text[48];
  std::snprintf(text, sizeof text, ", within TOLERANCE %.9g", *tolerance);
  return text;
}

// As it stands in a key: what one tolerance accepts, another need not.
inline std::string verifier_with(std::optional<double> tolerance) {
  return verifier_version + tolerance_note(tolerance);
}

}  // namespace geak::support
