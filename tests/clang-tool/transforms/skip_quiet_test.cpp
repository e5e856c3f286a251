#include <gmock/gmock.h>

#include "harness.h"

namespace geak::clang_tool::transforms::testing {
namespace {
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const RecipeStep step{"skip_quiet", {{"rounds", 16}}};

// Each point looks among those before it for the first in the same cell.
const std::string search =
    "__global__ void same_cell(const int* cells, int* first, int n) {\n"
    "  const int me = blockIdx.x * blockDim.x + threadIdx.x;\n  if (me >= n) return;\n"
    "  const int x = cells[me * 2];\n  const int y = cells[me * 2 + 1];\n  first[me] = me;\n"
    "  for (int i = 0; i < me; ++i) {\n    const int* other = cells + size_t(i) * 2;\n"
    "    if (other[0] == -1) continue;\n"
    "    if (other[0] == x && other[1] == y) {\n      first[me] = i;\n      break;\n    }\n  }\n}";

TEST(SkipQuiet, TestsRoundsOfASearchTogether) {
  KernelUnderTest kernel(search, "same_cell");
  const Variant variant = kernel.variant({step});
  EXPECT_THAT(variant.text, HasSubstr("geak_q < 16"));
  EXPECT_THAT(variant.text, HasSubstr("(bool(other[0] == x) & bool(other[1] == y))"));
  EXPECT_THAT(variant.text, HasSubstr("geak_left0 = true; break;"));
  // Rounds that the original never reaches are read: the host compares to the allocation.
  EXPECT_THAT(variant.guard, HasSubstr("(n) >= 0"));
  EXPECT_THAT(variant.guard, HasSubstr("4.0 * ("));
  // Where the arrays are apart, effects leave alone what later rounds read.
  EXPECT_THAT(variant.text, HasSubstr("<< geak_q"));
  EXPECT_THAT(variant.guard, HasSubstr("geak_swap::apart("));
}

TEST(SkipQuiet, TestsOnlyTheFirstConditions) {
  KernelUnderTest kernel(search, "same_cell");
  const std::string text = kernel.text({{"skip_quiet", {{"rounds", 8}, {"tests", 1}}}});
  EXPECT_THAT(text, Not(HasSubstr("bool(other[1] == y)")));
}

TEST(SkipQuiet, SaysThatHitsAreRareUnlessToldNotTo) {
  KernelUnderTest kernel(search, "same_cell");
  EXPECT_THAT(kernel.text({step}), HasSubstr("if (__builtin_expect(geak_any0, 0)) {"));
  const std::string text = kernel.text({{"skip_quiet", {{"rounds", 16}, {"rare", false}}}});
  EXPECT_THAT(text, HasSubstr("if (geak_any0) {"));
  EXPECT_THAT(text, Not(HasSubstr("__builtin_expect")));
}

TEST(SkipQuiet, RunsAllOfABlockWhereEffectsChangeTheCondition) {
  KernelUnderTest kernel(
      "__global__ void nearest(const float* at, int* index, int n) {\n"
      "  float best = 1e30f;\n  int where = 0;\n"
      "  for (int k = 0; k < n; ++k) {\n    const float d = at[k] - threadIdx.x;\n"
      "    if (d * d < best) {\n      best = d * d;\n      where = k;\n    }\n  }\n"
      "  index[threadIdx.x] = where;\n}",
      "nearest");
  const Variant variant = kernel.variant({step});
  EXPECT_THAT(variant.text, Not(HasSubstr("<< geak_q")));
  EXPECT_THAT(variant.guard, IsEmpty());  // every round reads: nothing is asked of the launch
}

TEST(SkipQuiet, GathersTheConditionsOfARound) {
  KernelUnderTest kernel(
      "__global__ void two(const float* at, float* out, int n) {\n"
      "  float first = 1e30f, second = 1e30f;\n  for (int k = 0; k < n; ++k) {\n"
      "    if (at[k] < first) {\n      second = first;\n      first = at[k];\n"
      "    } else if (at[k] < second) {\n      second = at[k];\n    }\n  }\n"
      "  out[threadIdx.x] = first + second;\n}",
      "two");
  const std::string text = kernel.text({{"skip_quiet", {{"rounds", 1}}}});
  EXPECT_THAT(text, HasSubstr("for (int k = 0; k < n; ++k) {\nbool geak_any0 = false;"));
  EXPECT_THAT(text, HasSubstr("if (__builtin_expect(geak_any0, 0))"));
}

TEST(SkipQuiet, TakesASecondConditionThatTheRoundDoesNotDecide) {
  KernelUnderTest kernel(
      "__global__ void pick(const int* marks, int* out, int n, int most) {\n"
      "  int count = 0;\n  for (int p = 0; p < n && count < most; ++p) {\n"
      "    if (marks[p * 64 + threadIdx.x] == 0) continue;\n"
      "    out[threadIdx.x * most + count] = p;\n    ++count;\n  }\n}",
      "pick");
  EXPECT_THAT(kernel.text({step}), HasSubstr("if (!(p < n && count < most)) break;"));
}

std::string refusal(const std::string& loop, const std::string& parameters = "") {
  return KernelUnderTest(
             "__device__ int helper(int v);\n"
             "__global__ void k(int* a, int* b, int n, unsigned m" +
                 parameters + ") {\n  int s = 0, limit = n;\n" + loop +
                 "\n  b[threadIdx.x] = s;\n}",
             "k")
      .refusal({step});
}

TEST(SkipQuiet, RefusesRoundsThatAlwaysDoSomething) {
  const auto refuses = HasSubstr("no loop has rounds");
  EXPECT_THAT(refusal("for (int i = 0; i < n; ++i) s += a[i];"), refuses);
  EXPECT_THAT(refusal("for (int i = 0; i < n; ++i) { ++s; if (a[i] == 3) s = 0; }"), refuses);
  EXPECT_THAT(refusal("for (int i = 0; i < n; ++i) { __syncthreads(); if (a[i] == 3) s = 0; }"),
              refuses);
}

TEST(SkipQuiet, RefusesReadsThatTheOriginalMayNotMake) {
  const auto refuses = HasSubstr("no loop has rounds");
  // Where the search ends nobody knows, nor how far the array goes.
  EXPECT_THAT(refusal("for (int i = 0; i < n; ++i) if (a[b[i]] == 3) { s = i; break; }"), refuses);
  EXPECT_THAT(refusal("for (int i = 0; i < a[0]; ++i) if (a[i] == 3) { s = i; break; }"), refuses);
  // Effects decide what is read next.
  EXPECT_THAT(refusal("for (int i = 0; i < n; ++i) if (a[s] == 3) s = a[i];"), refuses);
  // The pointer may have moved anywhere.
  EXPECT_THAT(refusal("for (int i = 0; i < n; ++i) { if (*a == 3) a += 5; }"), refuses);
}

TEST(SkipQuiet, TestsNothingThatMayNotBeRead) {
  KernelUnderTest kernel(
      "__global__ void k(const int* a, int* b, int n, int limit) {\n  int s = 0;\n"
      "  for (int i = 0; i < n; ++i)\n    if (i > limit) if (a[i - 1] == 3) s = i;\n"
      "  b[threadIdx.x] = s;\n}",
      "k");
  EXPECT_THAT(kernel.text({step}), Not(HasSubstr("bool(a[i - 1] == 3)")));
}

TEST(SkipQuiet, RefusesLoopsThatItCannotCount) {
  const auto refuses = HasSubstr("no loop has rounds");
  EXPECT_THAT(refusal("for (int i = 0; i < m; ++i) if (a[i] == 3) s = i;"), refuses);
  EXPECT_THAT(refusal("for (short i = 0; i < n; ++i) if (a[i] == 3) s = i;"), refuses);
  EXPECT_THAT(refusal("for (int i = 0; i < n; ++i) if (a[i] == 3) ++i;"), refuses);
  EXPECT_THAT(refusal("for (int i = 0; i < n && a[i]; ++i) if (a[i] == 3) s = i;"), refuses);
  EXPECT_THAT(refusal("for (int i = 0; i < n; ++i) if (v[i] == 3) s = i;", ", volatile int* v"),
              HasSubstr("volatile"));
}

TEST(SkipQuiet, KeepsConditionsApartThatCouldGoWrong) {
  // A division by zero that the original does not make is not made.
  EXPECT_THAT(refusal("for (int i = 0; i < n; ++i) { if (a[i] == 0) continue;\n"
                      "if (n / a[i] == 3) s = i; }"),
              IsEmpty());
  KernelUnderTest kernel(
      "__global__ void k(const int* a, int* b, int n) {\n  int s = 0;\n"
      "  for (int i = 0; i < n; ++i) {\n    if (a[i] == 0) continue;\n"
      "    if (n / a[i] == 3) s = i;\n  }\n  b[threadIdx.x] = s;\n}",
      "k");
  EXPECT_THAT(kernel.text({step}), Not(HasSubstr("bool(n / a[i] == 3)")));
}

}  // namespace
}  // namespace geak::clang_tool::transforms::testing
