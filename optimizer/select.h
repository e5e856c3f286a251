// Which of the verified variants a build should get.
#pragma once

#include <optional>

#include "cache/cache.h"

namespace geak::optimizer {

// Gains below this are not worth a change of the user's source. A gain must also stand above the
// noise that was measured beside it.
inline constexpr double kLeastGain = 1.02;

// Whether a trial's evidence makes the variant one that may be swapped in.
bool worth_keeping(double gain, double noise);

// The best variant for exactly this type of evidence that is worth keeping; of several within 1%
// of the best, the one with the shortest recipe: less change, same speed.
std::optional<cache::VerifiedVariant> select(const cache::Cache& cache,
                                             const std::string& key_digest,
                                             const cache::EvidenceType& type);

}  // namespace geak::optimizer
