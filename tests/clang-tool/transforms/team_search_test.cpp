#include <gmock/gmock.h>

#include "harness.h"

namespace geak::clang_tool::transforms::testing {
namespace {
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const RecipeStep step{"team_search", {{"team", 64}, {"rounds", 2}}};
const std::vector<SeenLaunch> rows = {launch({1, 1, 1}, {64, 1, 1})};

// Each list takes the first marked places, in order, and repeats them where there are fewer.
const std::string pick =
    "__global__ void pick(const int* marks, int* places, int* found, int n, int lists, int most) "
    "{\n"
    "  const int list = blockIdx.x * blockDim.x + threadIdx.x;\n  if (list >= lists) return;\n"
    "  found[list] = -1;\n  places += list * most;\n  int count = 0;\n"
    "  for (int p = 0; p < n && count < most; ++p) {\n"
    "    if (marks[p * lists + list] == 0) continue;\n    places[count] = p;\n    ++count;\n  }\n"
    "  found[list] = count;\n  if (count == 0) return;\n"
    "  for (int i = count; i < most; ++i) places[i] = places[i % count];\n}";

TEST(TeamSearch, GivesEachItemAWorkgroup) {
  KernelUnderTest kernel(pick, "pick", rows);
  const Variant variant = kernel.variant({step});
  EXPECT_THAT(variant.text, HasSubstr("list = (unsigned int)(blockIdx.x);"));
  EXPECT_THAT(variant.text, HasSubstr("if (threadIdx.x == 0) {\nfound[list] = -1;"));
  EXPECT_THAT(variant.text, HasSubstr("if (!(count < most)) { geak_left0 = true; break; }"));
  EXPECT_THAT(variant.text, HasSubstr("if (threadIdx.x != 0 || geak_gone0) return;"));
  EXPECT_THAT(variant.guard, HasSubstr("geak_swap::apart(marks, places)"));
  EXPECT_THAT(variant.guard, HasSubstr("0x7fffffffll / 64"));
  const auto changed = variant.launch.apply({{3, 2, 1}, {64, 1, 1}, 0}, [](std::uint32_t position) {
    return std::optional<std::int64_t>(position * 4096);
  });
  ASSERT_TRUE(changed);
  EXPECT_EQ(changed->grid, (support::Extent{192, 2, 1}));
  EXPECT_EQ(changed->block, (support::Extent{64, 1, 1}));
  // Of other workgroups the original runs.
  EXPECT_FALSE(variant.launch.apply({{3, 1, 1}, {128, 1, 1}, 0}, nullptr));
}

TEST(TeamSearch, FindsTheSameInOrder) {
  KernelUnderTest kernel(pick, "pick", rows);
  kernel.run(kernel.variant({step}), R"(
int main() {
  bool equal = true;
  for (int n : {0, 1, 127, 128, 129, 5000}) {
    const int lists = 61, most = 9;
    std::vector<int> marks(n * lists + 1);
    unsigned random = 7;
    for (int& mark : marks) mark = (random = random * 1664525u + 1013904223u) >> 24 < 3;
    for (int p = 0; p < n; ++p) marks[p * lists] = 0, marks[p * lists + 1] = 1;
    const int* given = on_device(marks);
    const std::vector<int> nothing(lists * most, 123);
    int *a = on_device(nothing), *b = on_device(nothing);
    int *count_a = on_device(nothing), *count_b = on_device(nothing);
    pick<<<1, 64>>>(given, a, count_a, n, lists, most);
    VARIANT<<<64, 64>>>(given, b, count_b, n, lists, most);
    equal = equal && same(a, b, lists * most) && same(count_a, count_b, lists * most);
  }
  return equal ? 0 : 1;
})");
}

TEST(TeamSearch, LeavesFromWithinAsTheLoopDoes) {
  KernelUnderTest kernel(
      "__global__ void first(const int* __restrict__ keys, int* at, int n, int step) {\n"
      "  const int me = blockIdx.x * blockDim.x + threadIdx.x;\n  at[me] = -1;\n"
      "  const int mine = keys[me];\n  if (mine < 0) {\n    at[me] = -2;\n    return;\n  }\n"
      "  int seen = 0;\n  for (unsigned k = 3; k <= 4000u; k += 3) {\n"
      "    if (keys[k] == mine) {\n      ++seen;\n      if (seen == 2) {\n"
      "        at[me] = k;\n        return;\n      }\n      if (mine == 5) break;\n    }\n  }\n"
      "  at[me] = -3 - seen;\n}",
      "first", rows);
  const Variant variant = kernel.variant({step});
  EXPECT_THAT(variant.text, HasSubstr("geak_gone0 = geak_left0 = true; break;"));
  kernel.run(variant, R"(
int main() {
  std::vector<int> keys(4100);
  unsigned random = 3;
  for (int& key : keys) key = int((random = random * 1664525u + 1013904223u) >> 21) - 1;
  keys[0] = 5;
  const int* given = on_device(keys);
  const std::vector<int> nothing(64, 123);
  int *a = on_device(nothing), *b = on_device(nothing);
  first<<<1, 64>>>(given, a, 4000, 1);
  VARIANT<<<64, 64>>>(given, b, 4000, 1);
  return same(a, b, 64) ? 0 : 1;
})");
}

std::string refusal(const std::string& before, const std::string& loop,
                    const std::vector<SeenLaunch>& seen = rows) {
  return KernelUnderTest(
             "__global__ void k(const int* a, int* b, int* c, int n) {\n"
             "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n" +
                 before + "\n" + loop + "\n}",
             "k", seen)
      .refusal({step});
}

const std::string plain = "for (int k = 0; k < n; ++k) if (a[k] == i) { b[i] = k; b[i + 1]++; }";

TEST(TeamSearch, TakesAPlainSearch) { EXPECT_THAT(refusal("", plain), IsEmpty()); }

TEST(TeamSearch, RefusesRoundsThatDecideAboutLaterOnes) {
  const auto refuses = HasSubstr("no loop of the kernel's own block");
  EXPECT_THAT(refusal("int best = 0;", "for (int k = 0; k < n; ++k) if (a[k] > best) best = a[k];"),
              refuses);
  EXPECT_THAT(refusal("", "for (int k = 0; k < n; ++k) if (b[k] == i) b[i] = k;"), refuses);
  EXPECT_THAT(refusal("", "for (int k = 0; k < n; ++k) b[i] += a[k];"), refuses);
  // The end must be one for all, whatever the first of them has done meanwhile.
  EXPECT_THAT(refusal("int end = n;", "for (int k = 0; k < end; ++k) if (a[k] == i) end = 3;"),
              refuses);
}

TEST(TeamSearch, RefusesWhatTheOthersMightSeeChanged) {
  const auto refuses = HasSubstr("no loop of the kernel's own block");
  // Other items may store to c between two reads of it.
  EXPECT_THAT(refusal("const int mine = c[i]; c[i] = 1;", plain), refuses);
  EXPECT_THAT(refusal("if (c[i] != 0) return; c[i] = 1;", plain), refuses);
  // A local that the first alone would know.
  EXPECT_THAT(refusal("int got = 0; c[i] = ++got;", plain), refuses);
  EXPECT_THAT(refusal("int got = atomicAdd(c, 1);", plain), refuses);
}

TEST(TeamSearch, RefusesLaunchesThatItCannotChange) {
  EXPECT_THAT(refusal("", plain, {}), HasSubstr("differ in workgroup size"));
  EXPECT_THAT(refusal("", plain, {launch({1, 1, 1}, {16, 4, 1})}), HasSubstr("not of one row"));
  EXPECT_THAT(refusal("b[blockIdx.x] = 0;", plain), HasSubstr("its place along x"));
  EXPECT_THAT(refusal("__shared__ int s; s = 0;", plain), HasSubstr("LDS"));
  EXPECT_THAT(refusal("",
                      "for (int k = 0; k < n; ++k) if (a[k] == blockIdx.x * blockDim.x + "
                      "threadIdx.x) b[i] = k;"),
              HasSubstr("no loop"));
  KernelUnderTest kernel(pick, "pick", rows);
  EXPECT_THAT(kernel.refusal({{"team_search", {{"team", 48}, {"rounds", 1}}}}),
              HasSubstr("a multiple of 32"));
  EXPECT_THAT(kernel.refusal({{"team_search", {{"team", 512}, {"rounds", 4}}}}),
              HasSubstr("at most 1024 rounds"));
}

}  // namespace
}  // namespace geak::clang_tool::transforms::testing
