// Which of the verified variants a build should get.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cache/cache.h"

namespace geak::optimizer {

// Gains below this are not worth a change of the user's source. A gain must also stand above the
// noise that was measured beside it.
inline constexpr double kLeastGain = 1.02;

// Variants this near to the fastest are as good: of them that one is taken that runs at sizes that
// nobody has seen yet, too, and of those the one with the shortest recipe.
inline constexpr double kAsGood = 0.98;

// Whether a trial's evidence makes the variant one that may be swapped in.
bool worth_keeping(double gain, double noise);

// Where evidence is looked for: one target that a build is for.
struct KeyedTarget {
  std::string target_id;
  std::string key_digest;
  cache::EvidenceType type;
};

// Whether evidence counts for a build whose own evidence is `wanted`. The key says which target the
// code was made for, so what was measured under it on an AMD GPU counts as well; a time of another
// vendor's GPU never does.
bool counts_for(const cache::EvidenceType& evidence, const cache::EvidenceType& wanted);

// Every variant that is worth keeping on this target, the highest gain first. Where any was
// measured on the target's own hardware, those alone: a model's word is for where there is no time.
std::vector<cache::VerifiedVariant> worth_keeping_on(const cache::Cache& cache,
                                                     const KeyedTarget& target);

// Of the variants that are worth keeping on every one of these targets the one with the highest
// geometric mean of gains, told by its evidence on the first; of several that are as good the one
// that kAsGood says. With no targets nothing.
std::optional<cache::VerifiedVariant> select_for_all(const cache::Cache& cache,
                                                     const std::vector<KeyedTarget>& targets);

// The same for one target.
std::optional<cache::VerifiedVariant> select(const cache::Cache& cache,
                                             const std::string& key_digest,
                                             const cache::EvidenceType& type);

// Why a variant that is faster on the first target is not selected for all of `targets`: one line
// that names those without evidence. `known`: those that have the kernel. Empty where there is no
// such variant, or one is selected.
std::string unproven(const cache::Cache& cache, const std::vector<std::string>& targets,
                     const std::vector<KeyedTarget>& known);

}  // namespace geak::optimizer
