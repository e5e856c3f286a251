// What is made of a recipe for another workload, and which recipes say what a step brought. The
// choice itself is driven end to end (tests/e2e/worker.sh).
#include "optimizer/bundle_candidates.h"

#include <gtest/gtest.h>

#include "clang-tool/transforms/session.h"

namespace geak::optimizer {
namespace {

using clang_tool::RecipeStep;
using nlohmann::json;

RecipeStep constant(int value) { return {"specialize", {{"arguments", {{"1", value}}}}}; }
RecipeStep tile(int rounds) { return {"stage_tiles", {{"tile", rounds}}}; }
RecipeStep sequence(const std::vector<RecipeStep>& steps) {
  return {clang_tool::transforms::sequence_step, {{"steps", steps}}};
}

TEST(Adapted, TakesTheConstantOfTheOtherWorkload) {
  const std::vector<RecipeStep> offered = {constant(4096), tile(128), tile(256)};
  EXPECT_EQ(adapted({constant(64), tile(256)}, offered), (Recipe{constant(4096), tile(256)}));
}

TEST(Adapted, LooksIntoSequences) {
  const Recipe recipe = {sequence({constant(64), tile(128)})};
  EXPECT_EQ(adapted(recipe, {constant(4096), tile(128)}),
            (Recipe{sequence({constant(4096), tile(128)})}));
}

TEST(Adapted, LeavesChoicesOfANumberAlone) {
  const std::vector<RecipeStep> offered = {tile(128), tile(256)};
  EXPECT_EQ(adapted({tile(512)}, offered), Recipe{tile(512)});
}

TEST(Adapted, LeavesOtherFormsAlone) {
  const RecipeStep both{"specialize", {{"arguments", {{"1", 2}, {"2", 3}}}}};
  EXPECT_EQ(adapted({both}, {constant(4096)}), Recipe{both});
  EXPECT_EQ(adapted({constant(64)}, {}), Recipe{constant(64)});
}

TEST(TakenByAny, ARecipeThatOneWorkloadRefusesIsAnothers) {
  std::vector<std::size_t> took;
  const auto taking = [&](std::size_t least) {
    took.clear();
    return taken_by_any({{tile(1)}, {tile(1)}, {tile(1)}, {tile(2)}},
                        [&](std::size_t workload, const Recipe&) {
                          if (workload < least) return false;
                          took.push_back(workload);
                          return true;
                        });
  };
  EXPECT_TRUE(taking(0));
  EXPECT_EQ(took, (std::vector<std::size_t>{0, 3}));
  EXPECT_TRUE(taking(1));
  EXPECT_EQ(took, (std::vector<std::size_t>{1, 3}));
  EXPECT_FALSE(taking(4));
}

TEST(WithOneStepLess, CountsThoseInSequencesOneByOne) {
  const Recipe recipe = {sequence({constant(1), tile(2)}), {"unroll", {{"factor", 4}}}};
  const RecipeStep unroll{"unroll", {{"factor", 4}}};
  EXPECT_EQ(
      with_one_step_less(recipe),
      (std::vector<Recipe>{{tile(2), unroll}, {constant(1), unroll}, {constant(1), tile(2)}}));
}

TEST(WithOneStepLess, OfOneStepNothingIsLeft) {
  EXPECT_TRUE(with_one_step_less({tile(2)}).empty());
  EXPECT_TRUE(with_one_step_less({}).empty());
}

}  // namespace
}  // namespace geak::optimizer
