// Which variants of a kernel are worth a trial on another machine.
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
  std::size_t most = 60;
  // Evidence that counts more than what the emulated GPU says; none: that alone.
  std::vector<cache::EvidenceType> extend;
  std::uint64_t seed = 1;
  std::function<bool()> stop = [] { return false; };
};

struct ChosenCandidate {
  Recipe recipe;
  clang_tool::Variant variant;
  std::string parent;  // digest of the variant that it goes on from; empty: the original
};

// `launches`: a list for each workload, since what one has in common decides which steps apply. In
// this order, each variant once, at most `most`:
// - what the cache knows to be right, the fastest of each kind first, with the constants of each
//   workload in place of those of another;
// - the fastest two with one of their steps left out, so that it can be said what each brought;
// - steps alone, one of each form, then a second, a third: another device may like what the
//   emulated one does not;
// - what the search (search.h) would try next, where it takes each to gain what it predicts: steps
//   alone, then compositions of the best of each kind.
std::vector<ChosenCandidate> choose_candidates(
    const KeyedKernel& kernel,
    const std::vector<std::vector<clang_tool::transforms::SeenLaunch>>& launches,
    const cache::Cache& cache, const CandidateChoice& choice);

// The recipe with each step that `offered` has not, but has with other numbers, replaced by those:
// a constant of one workload by the same constant of another.
Recipe adapted(const Recipe& recipe, const std::vector<clang_tool::RecipeStep>& offered);

// Offers each workload its recipe, one that several have until one of them takes it: what one
// workload's launches do not allow, another's may. Whether any took one.
bool taken_by_any(const std::vector<Recipe>& by_workload,
                  const std::function<bool(std::size_t workload, const Recipe&)>& take);

// Every recipe that lacks one step of this one, those in sequences counted one by one.
std::vector<Recipe> with_one_step_less(const Recipe& recipe);

}  // namespace geak::optimizer
