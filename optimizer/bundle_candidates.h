// Which variants of a kernel are worth a trial elsewhere, where nothing is known of its gain yet.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "cache/cache.h"
#include "clang-tool/transforms/session.h"
#include "optimizer/keyed_kernel.h"
#include "optimizer/recipe.h"

namespace geak::optimizer {

struct CandidateChoice {
  std::size_t most = 40;
  // Evidence whose best recipes are taken further by one step; none: nothing is.
  std::vector<cache::EvidenceType> extend;
  std::function<bool()> stop = [] { return false; };
};

struct ChosenCandidate {
  Recipe recipe;
  clang_tool::Variant variant;
  std::string parent;  // digest of the variant that it goes on from; empty: the original
};

// For each set of launches (what one workload launches) a search of its own, since what they have
// in common decides which steps apply: first what the cache knows to be right, then the best of
// those with one step more, then every step alone, then pairs of steps of different transforms.
// Each variant once, at most `most`.
std::vector<ChosenCandidate> choose_candidates(
    const KeyedKernel& kernel,
    const std::vector<std::vector<clang_tool::transforms::SeenLaunch>>& launches,
    const cache::Cache& cache, const CandidateChoice& choice);

}  // namespace geak::optimizer
