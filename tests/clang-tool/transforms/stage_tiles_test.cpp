#include <gmock/gmock.h>

#include "harness.h"

namespace geak::clang_tool::transforms::testing {
namespace {
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const RecipeStep step{"stage_tiles", {{"tile", 256}}};
const RecipeStep digests{"stage_tiles", {{"tile", 256}, {"digest", true}}};

const std::string nearest =
    "__global__ void nearest(const float* sites, const float* at, int* index, int n, int count) {\n"
    "  const int me = blockIdx.x * blockDim.x + threadIdx.x;\n  if (me >= count) return;\n"
    "  sites += size_t(blockIdx.y) * n * 2;\n  const float x = at[me * 2], y = at[me * 2 + 1];\n"
    "  float best = 1e30f;\n  int where = 0;\n  for (int k = 0; k < n; ++k) {\n"
    "    const float dx = sites[k * 2] - x, dy = sites[k * 2 + 1] - y;\n"
    "    if (dx * dx + dy * dy < best) {\n      best = dx * dx + dy * dy;\n      where = k;\n    "
    "}\n"
    "  }\n  index[me] = where;\n}";

TEST(StageTiles, KeepsWorkItemsThatReturnForTheBarriers) {
  KernelUnderTest kernel(nearest, "nearest");
  const Variant variant = kernel.variant({step});
  EXPECT_THAT(variant.text, HasSubstr("if ((me >= count)) geak_works = false;"));
  EXPECT_THAT(variant.text, HasSubstr("x = geak_works ? (at[me * 2]) : 0"));
  EXPECT_THAT(variant.text, HasSubstr("geak_tile0_1[geak_u] = sites[k * 2 + 1];"));
  EXPECT_THAT(variant.text, HasSubstr("dx = geak_tile0_0[geak_u] - x"));
  EXPECT_THAT(variant.text, HasSubstr("if (!geak_works) return;"));
  // Every round reads and the loop stores nothing: nothing is asked of the launch.
  EXPECT_THAT(variant.guard, IsEmpty());
}

TEST(StageTiles, TakesAsManyRoundsAsOneWorkItemNeeds) {
  KernelUnderTest kernel(
      "__global__ void earlier(const int* cells, int* first, int n) {\n"
      "  const int me = blockIdx.x * blockDim.x + threadIdx.x;\n  if (me >= n) return;\n"
      "  if (cells[me] < 0) {\n    first[me] = -1;\n    return;\n  }\n"
      "  const int mine = cells[me];\n  int found = me;\n"
      "  for (int i = 0; i < me; ++i)\n    if (cells[i] == mine) {\n      found = i;\n"
      "      break;\n    }\n  first[me] = found;\n}",
      "earlier");
  const Variant variant = kernel.variant({step});
  EXPECT_THAT(variant.text, HasSubstr("atomicMax(&geak_most0, geak_rounds0);"));
  EXPECT_THAT(variant.text, HasSubstr("if (geak_works && (cells[me] < 0))"));
  EXPECT_THAT(variant.text, HasSubstr("geak_gone0 = true; break;"));
  EXPECT_THAT(variant.guard, HasSubstr("(n) >= 0"));  // what is read past a break
}

TEST(StageTiles, EndsTheWorkOfThoseThatReturnFromTheLoop) {
  KernelUnderTest kernel(
      "__global__ void any(const float* __restrict__ limits, float* out, int n) {\n"
      "  const float mine = out[threadIdx.x];\n  for (int i = 0; i < n; ++i)\n"
      "    if (limits[i] > mine) {\n      out[threadIdx.x] = i;\n      return;\n    }\n"
      "  out[threadIdx.x] = -1;\n}",
      "any");
  const std::string text = kernel.text({step});
  EXPECT_THAT(text, HasSubstr("geak_works = false; geak_gone0 = true; break;"));
  EXPECT_THAT(text, HasSubstr("if (!geak_works) return;"));
}

const std::string duplicates =
    "__global__ void duplicates(const int* keys, const long long* more, int* out, int n) {\n"
    "  const int me = blockIdx.x * blockDim.x + threadIdx.x;\n  if (me >= n) return;\n"
    "  const int a = keys[me * 2], b = keys[me * 2 + 1];\n  const long long c = more[me];\n"
    "  int count = 0;\n  for (int i = 0; i < n; ++i)\n"
    "    if (keys[i * 2] == a && keys[i * 2 + 1] == b && more[i] == c) ++count;\n"
    "  out[me] = count;\n}";

TEST(StageTiles, ComparesDigestsBeforeValues) {
  KernelUnderTest kernel(duplicates, "duplicates");
  const Variant variant = kernel.variant({digests});
  EXPECT_THAT(variant.text, HasSubstr("if (geak_digests0[geak_u] != geak_own0) continue;"));
  EXPECT_THAT(variant.text, HasSubstr(">> 32"));
  EXPECT_THAT(variant.text, HasSubstr("if (keys[i * 2] == a"));  // what decides in the end
}

TEST(StageTiles, MakesRoomForSkipQuiet) {
  KernelUnderTest kernel(duplicates, "duplicates");
  const std::string text = kernel.text({digests, {"skip_quiet", {{"rounds", 16}, {"tests", 1}}}});
  EXPECT_THAT(text, HasSubstr("bool(geak_digests0[geak_u] != geak_own0)"));
  EXPECT_THAT(text, HasSubstr("<< geak_q"));  // effects do not reach the tile
}

std::string refusal(const std::string& before, const std::string& loop,
                    const RecipeStep& how = step) {
  return KernelUnderTest(
             "__global__ void k(float* a, const float* b, const int* index, int n) {\n"
             "  float s = 0;\n" +
                 before + "\n" + loop + "\n  a[threadIdx.x] = s;\n}",
             "k")
      .refusal({how});
}

TEST(StageTiles, RefusesWhatWorkItemsDoNotShare) {
  const auto refuses = HasSubstr("no loop of the kernel's own block reads");
  EXPECT_THAT(refusal("", "for (int i = 0; i < n; ++i) s += b[i + threadIdx.x];"), refuses);
  EXPECT_THAT(refusal("b += threadIdx.x;", "for (int i = 0; i < n; ++i) s += b[i];"), refuses);
  EXPECT_THAT(refusal("if (threadIdx.x > 3) b += n;", "for (int i = 0; i < n; ++i) s += b[i];"),
              refuses);
  EXPECT_THAT(refusal("", "for (int i = threadIdx.x; i < n; ++i) s += b[i];"), refuses);
  EXPECT_THAT(refusal("", "for (int i = 0; i < n; i += 64) s += b[i];"), refuses);
  EXPECT_THAT(refusal("const int from = index[0];", "for (int i = from; i < n; ++i) s += b[i];"),
              refuses);
  EXPECT_THAT(refusal("", "if (n > 8) for (int i = 0; i < n; ++i) s += b[i];"), refuses);
}

// What AMD's headers let them call is declared const, and differs between work-items all the same.
TEST(StageTiles, OlderNamesOfLaunchValuesAreNotShared) {
  const auto refusal = [](const std::string& begin) {
    return KernelUnderTest(
               "__global__ void filter(const float* in, const float* taps, float* out, int n) {\n"
               "  const unsigned me = hipBlockIdx_x * hipBlockDim_x + hipThreadIdx_x;\n"
               "  const unsigned from = " +
                   begin +
                   ";\n  float sum = 0;\n"
                   "  for (int k = 0; k < n; ++k) sum += in[from + k] * 0.5f;\n"
                   "  out[me] = sum;\n}",
               "filter")
        .refusal({step});
  };
  EXPECT_EQ(refusal("hipBlockIdx_x * 64"), "");
  EXPECT_NE(refusal("me"), "");
  EXPECT_NE(refusal("hipThreadIdx_x"), "");
  EXPECT_NE(refusal("__builtin_amdgcn_workitem_id_x()"), "");
  EXPECT_NE(refusal("__builtin_amdgcn_mbcnt_lo(~0u, 0)"), "");
  EXPECT_NE(refusal("__ockl_get_local_id(0)"), "");
}

TEST(StageTiles, RefusesWhatTheLoopMayStoreTo) {
  const auto refuses = HasSubstr("no loop of the kernel's own block reads");
  EXPECT_THAT(refusal("", "for (int i = 0; i < n; ++i) { s += a[i]; a[i] = s; }"), refuses);
  EXPECT_THAT(refusal("float* other = index[0] > 3 ? a : a + n;",
                      "for (int i = 0; i < n; ++i) { s += b[i]; other[0] = s; }"),
              refuses);
  // Another array: the launch must show that it is one.
  KernelUnderTest kernel(
      "__global__ void k(float* a, const float* b, int n) {\n"
      "  for (int i = 0; i < n; ++i) a[threadIdx.x] += b[i];\n}",
      "k");
  EXPECT_THAT(kernel.variant({step}).guard, HasSubstr("geak_swap::apart("));
}

TEST(StageTiles, RefusesReadsThatTheOriginalMayNotMake) {
  const auto refuses = HasSubstr("no loop of the kernel's own block reads");
  EXPECT_THAT(refusal("", "for (int i = 0; i < n; ++i) if (s > i) s += b[index[0] + i];"), refuses);
  EXPECT_THAT(refusal("", "for (int i = 0; i < n; ++i) if (i > 4) s += b[i - 4];"), refuses);
  EXPECT_THAT(refusal("", "for (int i = 0; i < n; ++i) { if (b[i - n] < 0) break; ++s; }"),
              refuses);
}

TEST(StageTiles, RefusesWorkThatCannotBeLeftOut) {
  const std::string loop = "for (int i = 0; i < n; ++i) s += b[i];";
  const auto refuses = HasSubstr("cannot be left out");
  EXPECT_THAT(
      refusal("for (int j = 0; j < 3; ++j) if (index[j] == int(threadIdx.x)) return;", loop),
      refuses);
  EXPECT_THAT(refusal("if (threadIdx.x > 5) return;\n  const int& first = index[threadIdx.x];\n"
                      "  s = first;",
                      loop),
              refuses);
  EXPECT_THAT(refusal("__syncthreads();", loop), HasSubstr("barriers"));
}

TEST(StageTiles, RefusesDigestsOfOneValue) {
  EXPECT_THAT(refusal("const int mine = index[threadIdx.x];",
                      "for (int i = 0; i < n; ++i) if (index[i] == mine) s += 1;", digests),
              HasSubstr("no loop compares several values"));
  // Equal floats may differ in bits.
  EXPECT_THAT(
      refusal("const float x = b[threadIdx.x], y = b[threadIdx.x + n];",
              "for (int i = 0; i < n; ++i) if (b[i] == x && b[i + n] == y) s += 1;", digests),
      HasSubstr("no loop compares several values"));
  EXPECT_THAT(refusal("const int x = index[threadIdx.x], y = index[threadIdx.x + n];",
                      "for (int i = 0; i < n; ++i) { s += 1; if (index[i] == x && index[i + n] == "
                      "y) s += 1; }",
                      digests),
              HasSubstr("no loop compares several values"));
}

const RecipeStep values{"stage_tiles", {{"tile", 64}, {"values", true}}};
const RecipeStep rows{"stage_tiles", {{"tile", 64}, {"values", true}, {"rows", 16}}};

// Rotated sites; what a site needs is the same for all points.
const std::string turned =
    "__global__ void turned(const float* sites, const float* at, float* out, int n, int count) {\n"
    "  const int me = blockIdx.x * blockDim.x + threadIdx.x;\n  if (me >= count) return;\n"
    "  out += size_t(me) * n;\n  const float x = at[me * 2], y = at[me * 2 + 1];\n"
    "  for (int k = 0; k < n; ++k) {\n    const float* site = sites + k * 3;\n"
    "    const float c = cosf(-site[2]), s = sinf(-site[2]);\n"
    "    float d = x * c + y;\n    if (d > s) d = fabsf(site[0] + site[1] * 2);\n    if (d > "
    "site[0] / 3.0f) d = -d;\n"
    "    out[k] = d;\n  }\n}";

const std::string turned_main = R"(
int main() {
  bool equal = true;
  for (int n : {1, 15, 16, 64, 100}) {
    const int count = 300;
    std::vector<float> sites(n * 3), at(count * 2);
    for (int i = 0; i < n * 3; ++i) sites[i] = (i * 37 % 101) / 20.0f - 2;
    for (int i = 0; i < count * 2; ++i) at[i] = (i * 53 % 97) / 30.0f - 1;
    const float *given = on_device(sites), *points = on_device(at);
    const std::vector<float> nothing(n * count + 7, -5);
    float *a = on_device(nothing), *b = on_device(nothing);
    turned<<<3, 128>>>(given, points, a, n, count);
    VARIANT<<<3, 128>>>(given, points, b, n, count);
    equal = equal && same(a, b, n * count + 7);
  }
  return equal ? 0 : 1;
})";

TEST(StageTiles, KeepsWhatIsWorkedOutOfTheReads) {
  KernelUnderTest kernel(turned, "turned", {launch({3, 1, 1}, {128, 1, 1})});
  const Variant variant = kernel.variant({values});
  EXPECT_THAT(variant.text, HasSubstr("[geak_u] = cosf(-site[2]);"));
  EXPECT_THAT(variant.text, HasSubstr("[geak_u] = fabsf(site[0] + site[1] * 2);"));
  EXPECT_THAT(variant.text, HasSubstr("[geak_u] = site[0] / 3.0f;"));
  kernel.run(variant, turned_main);
}

TEST(StageTiles, GathersRowsAndStoresThemTogether) {
  KernelUnderTest kernel(turned, "turned", {launch({3, 1, 1}, {128, 1, 1})});
  const Variant variant = kernel.variant({rows});
  EXPECT_THAT(variant.text, HasSubstr("geak_rows0[geak_e / 16u]"));
  EXPECT_THAT(variant.guard, HasSubstr("geak_swap::apart("));
  // The arrays are as large as the workgroups seen.
  EXPECT_FALSE(variant.launch.apply({{3, 1, 1}, {256, 1, 1}, 0}, [](std::uint32_t position) {
    return std::optional<std::int64_t>(position * 4096);
  }));
  kernel.run(variant, turned_main);
}

std::string looped(const std::string& body, const RecipeStep& with) {
  KernelUnderTest kernel(
      "__global__ void k(const float* a, float* b, float* row, int n) {\n"
      "  row += threadIdx.x * n;\n  float x = threadIdx.x;\n"
      "  for (int i = 0; i < n; ++i) {\n" +
          body + "\n  }\n  b[threadIdx.x] = x;\n}",
      "k", {launch({1, 1, 1}, {64, 1, 1})});
  const ApplyResult result = kernel.session().apply({with});
  return result ? result.variant->text : result.refusal;
}

TEST(StageTiles, LeavesProductsThatAreAddedToOthers) {
  // A product and the sum after it may be rounded in one step.
  EXPECT_THAT(looped("row[i] = x + a[i] * a[i + 1];", values),
              Not(HasSubstr("= a[i] * a[i + 1];")));
  EXPECT_THAT(looped("const float p = a[i] * 3; x -= p;", values), Not(HasSubstr("= a[i] * 3;")));
  EXPECT_THAT(looped("const float p = -(a[i] * 3); row[i] = p * x; x += 1;", values),
              HasSubstr("[geak_u] = -(a[i] * 3);"));
  EXPECT_THAT(looped("row[i] = x + (a[i] + a[i + 1] * 2);", values),
              HasSubstr("[geak_u] = (a[i] + a[i + 1] * 2);"));
  // Sums of integers may overflow, divisions fail, in rounds that leave them out.
  EXPECT_THAT(looped("if (x > i) row[i] = float(n / i) * a[i] * x;", values),
              Not(HasSubstr("[geak_u] = float(n / i)")));
}

TEST(StageTiles, LeavesStoresThatAreNoRows) {
  const auto refuses = HasSubstr("no loop of the kernel's own block");
  EXPECT_THAT(looped("if (a[i] > x) row[i] = x;", rows), refuses);
  EXPECT_THAT(looped("if (a[i] > x) continue; row[i] = x;", rows), refuses);
  EXPECT_THAT(looped("row[i] = a[i]; if (x > 3) break;", rows), refuses);
  EXPECT_THAT(looped("row[i / 2] = a[i];", rows), refuses);
  EXPECT_THAT(looped("row[i] = a[i]; row[n - i] = 0;", rows), refuses);
  EXPECT_THAT(looped("x += row[0]; row[i] = a[i];", rows), refuses);
  EXPECT_THAT(looped("row[i] += a[i];", rows), refuses);
}

}  // namespace
}  // namespace geak::clang_tool::transforms::testing
