#include <gmock/gmock.h>

#include "harness.h"

namespace geak::clang_tool::transforms::testing {
namespace {
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

RecipeStep team(unsigned size) { return {"team_rows", {{"team", size}}}; }

const std::vector<SeenLaunch> rows = {launch({3, 1, 1}, {64, 1, 1})};

SampleRun run_of(const std::string& arguments) { return {rows.front(), arguments}; }

const std::string head =
    "  const int row = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (row >= rows) return;\n";

TEST(TeamRows, SumsOfRowsAreSharedOut) {
  KernelUnderTest kernel("__global__ void sums(float* out, const float* in, int rows, int n) {\n" +
                             head +
                             "  float sum = 1;\n"
                             "  for (int j = 0; j < n; ++j) sum += in[row * n + j];\n"
                             "  out[row] = sum;\n}",
                         "sums", rows);
  const Variant variant = kernel.variant({team(16)});
  EXPECT_THAT(variant.text,
              AllOf(HasSubstr("(blockIdx.x * (blockDim.x / 16u) + threadIdx.x / 16u)"),
                    HasSubstr("geak_share0_0_sum += in[row * n + j];"),
                    HasSubstr("if (geak_lane0 == 0u) {\nout[row] = sum;\n}")));
  EXPECT_THAT(variant.guard, HasSubstr("geak_swap::apart(out, in)"));
  const auto changed = variant.launch.apply({{3, 2, 1}, {64, 1, 1}, 0}, [](std::uint32_t position) {
    return std::optional<std::int64_t>(position * 4096);
  });
  ASSERT_TRUE(changed);
  EXPECT_EQ(changed->grid, (support::Extent{48, 2, 1}));
  EXPECT_EQ(changed->block, (support::Extent{64, 1, 1}));
  EXPECT_FALSE(variant.launch.apply({{3, 1, 1}, {72, 1, 1}, 0}, nullptr));
  std::vector<SampleRun> runs;
  for (const char* width : {"0", "1", "17", "200"})
    runs.push_back(run_of("buffer<float>(0, 190, 0, 1), buffer<float>(1, 40000, -1, 1), 190, " +
                          std::string(width)));
  kernel.run_alike(variant, runs, 1e-5);
}

// The bounds of a sparse matrix's rows come out of memory, and steps may be larger than 1.
TEST(TeamRows, RowsOfAnyLength) {
  KernelUnderTest kernel(
      "__global__ void spmv(int rows, const int* ends, const int* columns, const double* values,\n"
      "                     const double* x, double* y) {\n"
      "  const int row = blockIdx.x * blockDim.x + threadIdx.x;\n  if (row < rows) {\n"
      "    double sum = 0;\n"
      "    for (int k = ends[row]; k < ends[row + 1]; k += 2) sum -= values[k] * x[columns[k]];\n"
      "    y[row] = sum;\n  }\n}",
      "spmv", rows);
  const Variant variant = kernel.variant({{"early_exit", nlohmann::json::object()}, team(8)});
  EXPECT_THAT(variant.guard, HasSubstr("geak_swap::apart(ends, y)"));
  kernel.run_alike(variant,
                   {run_of("190, buffer<int>(0, 200, 0, 300), buffer<int>(1, 400, 0, 90), "
                           "buffer<double>(2, 400, -1, 1), buffer<double>(3, 100, -1, 1), "
                           "buffer<double>(4, 190, 0, 1)")},
                   1e-5);
}

TEST(TeamRows, AnElementOfARowIsItsWorkItemsOwnFromLoopToLoop) {
  KernelUnderTest kernel(
      "__global__ void softmax(float* out, const float* in, int rows, int n) {\n" + head +
          "  const float* x = in + row * n;\n  float most = x[0];\n"
          "  for (int j = 1; j < n; ++j) if (x[j] > most) most = x[j];\n  float sum = 0;\n"
          "  for (int j = 0; j < n; ++j) {\n    const float e = expf(x[j] - most);\n"
          "    out[row * n + j] = e;\n    sum += e;\n  }\n"
          "  for (int i = 0; i < n; ++i) out[row * n + i] /= sum;\n}",
      "softmax", rows);
  const Variant variant = kernel.variant({team(4)});
  EXPECT_THAT(variant.text, Not(HasSubstr("geak_lane0 == 0u")));
  kernel.run_alike(variant,
                   {run_of("buffer<float>(0, 9500, 0, 1), buffer<float>(1, 9500, -4, 4), 190, 50")},
                   1e-5);
}

// Ties go to whom the loop meets first, or last where it takes equal ones.
TEST(TeamRows, TheFirstOfTheBestIsFoundOrTheLast) {
  for (const char* comparison : {"score > best", "best >= score"}) {
    KernelUnderTest kernel(
        "__global__ void pick(int* at, int* value, const int* in, int rows, int n) {\n" + head +
            "  int best = in[row * n], where = -1, twice = 0;\n"
            "  for (unsigned j = 0; j < n; ++j) {\n    const int score = in[row * n + j];\n"
            "    if (score != 3 && " +
            comparison +
            ") { best = score; where = j; twice = 2 * score + j; }\n  }\n"
            "  at[row] = where;\n  value[row] = best + twice;\n}",
        "pick", rows);
    std::vector<SampleRun> runs;
    for (const char* highest : {"4", "1000"})
      runs.push_back(
          run_of("buffer<int>(0, 190, 0, 1), buffer<int>(1, 190, 0, 1), "
                 "buffer<int>(2, 9500, -3, " +
                 std::string(highest) + "), 190, 50"));
    kernel.run_alike(kernel.variant({team(8)}), runs);
  }
}

TEST(TeamRows, IntegersOfAnyKindOfGathering) {
  KernelUnderTest kernel(
      "__global__ void gather(int* out, const int* in, int rows, int n) {\n" + head +
          "  int sum = 5, product = 3, odd = 9, any = 1, all = -1, count = 0, least = 7, most = "
          "0;\n"
          "  for (int j = 0; j <= n; ++j) {\n    const int v = in[row * n + j];\n    sum += v;\n"
          "    product = v * product;\n    odd ^= v;\n    any |= v;\n    all &= v;\n"
          "    if (v % 3 == 0) ++count;\n    least = min(v, least);\n"
          "    most = most > v ? most : v;\n  }\n"
          "  out[row * 8] = sum;\n  out[row * 8 + 1] = product;\n  out[row * 8 + 2] = odd;\n"
          "  out[row * 8 + 3] = any;\n  out[row * 8 + 4] = all;\n  out[row * 8 + 5] = count;\n"
          "  out[row * 8 + 6] = least;\n  out[row * 8 + 7] = most;\n}",
      "gather", rows);
  kernel.run_alike(
      kernel.variant({team(32)}),
      {run_of("buffer<int>(0, 1600, 0, 1), buffer<int>(1, 9600, -2e9, 2e9), 190, 50")});
}

TEST(TeamRows, LoopsWithinWhatAllDoAlike) {
  KernelUnderTest kernel(
      "__global__ void top(float* out, int* ids, const float* in, int rows, int n, int k) {\n" +
          head +
          "  unsigned long long taken = 0;\n  float total = 0;\n  for (int i = 0; i < k; ++i) {\n"
          "    float best = -1;\n    int at = 0;\n"
          "    for (int j = 0; j < n; ++j)\n"
          "      if (!(taken >> j & 1) && in[row * n + j] > best) { best = in[row * n + j]; at = "
          "j; }\n"
          "    taken |= 1ull << at;\n    total += best;\n    out[row * k + i] = best;\n"
          "    ids[row * k + i] = at;\n  }\n"
          "  for (int i = 0; i < k; ++i) out[row * k + i] /= total;\n}",
      "top", rows);
  const Variant variant = kernel.variant({team(16)});
  EXPECT_THAT(variant.text, HasSubstr("if (geak_lane0 == 0u) {\nfor (int i = 0; i < k; ++i) out"));
  kernel.run_alike(variant, {run_of("buffer<float>(0, 600, 0, 1), buffer<int>(1, 600, 0, 1), "
                                    "buffer<float>(2, 9500, 0, 1), 190, 50, 3")});
}

TEST(TeamRows, HalvesAreElementsLikeOthers) {
  KernelUnderTest kernel(
      "#include <hip/hip_fp16.h>\n"
      "__global__ void product(float* out, const __half* in, const __half* x,\n"
      "                        int rows, int n) {\n" +
          head +
          "  float sum = 0;\n  for (int j = 0; j < n; ++j)\n"
          "    sum += __half2float(in[row * n + j]) * __half2float(x[j]);\n"
          "  out[row] = sum;\n}",
      "product", rows);
  kernel.run_alike(kernel.variant({team(8)}),
                   {run_of("buffer<float>(0, 190, 0, 1), buffer<__half>(1, 9500, -1, 1), "
                           "buffer<__half>(2, 50, -1, 1), 190, 50")},
                   1e-5);
}

std::string refusal(const std::string& body, const std::vector<SeenLaunch>& seen = rows) {
  return KernelUnderTest(
             "__global__ void k(float* a, const float* b, int* c, int rows, int n) {\n" + head +
                 body + "\n}",
             "k", seen)
      .refusal({team(16)});
}

const std::string plain =
    "float s = 0; for (int j = 0; j < n; ++j) s += b[row * n + j]; a[row] = s;";

TEST(TeamRows, TakesAPlainSum) { EXPECT_THAT(refusal(plain), IsEmpty()); }

TEST(TeamRows, RefusesRoundsThatNeedEarlierOnes) {
  const auto handed = HasSubstr("handed on from round to round");
  EXPECT_THAT(refusal("float s = 0; for (int j = 0; j < n; ++j) s = s * 2 + b[j]; a[row] = s;"),
              handed);
  EXPECT_THAT(
      refusal("float s = 0; for (int j = 0; j < n; ++j) { s += b[j]; if (s > 5) c[row] = j; }"),
      handed);
  EXPECT_THAT(
      refusal("float s = 0; for (int j = 0; j < n; ++j) { s += b[j]; s *= 2; } a[row] = s;"),
      handed);
  EXPECT_THAT(
      refusal("float s = 0, p = 1; for (int j = 0; j < n; ++j) { s += p; p = b[j]; } a[row] = s;"),
      handed);
  // A number of another kind than the sum: each round would round it.
  EXPECT_THAT(refusal("int s = 0; for (int j = 0; j < n; ++j) s += b[j]; c[row] = s;"), handed);
  // What is taken is not what was compared.
  EXPECT_THAT(
      refusal("float s = 0; for (int j = 0; j < n; ++j) if (b[j] > s) s = b[j + 1]; a[row] = s;"),
      handed);
  // A NaN would make it forget what was before.
  EXPECT_THAT(
      refusal("float s = 0; for (int j = 0; j < n; ++j) s = s > b[j] ? s : b[j]; a[row] = s;"),
      handed);
  // The end moves with the rounds, or rounds leave.
  EXPECT_THAT(refusal("int e = n; for (int j = 0; j < e; ++j) if (b[j] > 0) e -= 1; c[row] = e;"),
              HasSubstr("no loop's rounds"));
  EXPECT_THAT(
      refusal("int s = 0; for (int j = 0; j < n; ++j) { if (b[j] > 0) break; ++s; } c[row] = s;"),
      HasSubstr("no loop's rounds"));
}

TEST(TeamRows, RefusesMemoryThatOtherWorkItemsOfTheTeamTouch) {
  EXPECT_THAT(refusal("for (int j = 0; j < n; ++j) a[row * n + j / 2] = b[j];"),
              HasSubstr("more of what the kernel stores than an element of its own"));
  EXPECT_THAT(refusal("for (int j = 1; j < n; ++j) a[row * n + j] = a[row * n + j - 1] + b[j];"),
              HasSubstr("what another one stores"));
  // Another loop begins elsewhere, another statement reads an element.
  const auto elsewhere = HasSubstr("used elsewhere");
  EXPECT_THAT(refusal("for (int j = 0; j < n; ++j) a[row * n + j] = b[j];\n"
                      "for (int j = 1; j < n; ++j) a[row * n + j] *= 2;"),
              elsewhere);
  EXPECT_THAT(refusal("for (int j = 0; j < n; ++j) a[row * n + j] = b[j];\n"
                      "const float first = a[row * n]; c[row] = int(first);"),
              elsewhere);
  // Around it another loop moves the row.
  EXPECT_THAT(
      refusal("for (int i = 0; i < 3; ++i) for (int j = 0; j < n; ++j) a[row + i + j] += b[j];"),
      HasSubstr("an element of its own"));
  EXPECT_THAT(
      refusal("float s = 0; for (int j = 0; j < n; ++j) s += b[j]; s += a[row]; a[row] = s;"),
      HasSubstr("cannot be done by all"));
}

TEST(TeamRows, RefusesWhatItCannotTell) {
  EXPECT_THAT(refusal(plain, {}), HasSubstr("no launch was seen"));
  EXPECT_THAT(refusal(plain, {launch({1, 1, 1}, {24, 1, 1})}), HasSubstr("no multiple of a team"));
  EXPECT_THAT(refusal("for (int j = 0; j < n; ++j) atomicAdd(&c[row], 1);"),
              HasSubstr("not plain"));
  EXPECT_THAT(refusal("__shared__ float t; t = 0; " + plain), HasSubstr("LDS"));
  EXPECT_THAT(refusal("float s = 0; for (int j = 0; j < 8; ++j) s += b[j]; a[row] = s;"),
              HasSubstr("short"));
  // A sum that comes out otherwise would decide.
  EXPECT_THAT(
      refusal("float s = 0; for (int j = 0; j < n; ++j) s += b[j]; a[row] = s > 1 ? 1 : 2;"),
      HasSubstr("decide a comparison"));
  EXPECT_THAT(KernelUnderTest("__global__ void k(float* a) { a[blockIdx.x] = 1; }", "k", rows)
                  .refusal({{"team_rows", {{"team", 12}}}}),
              HasSubstr("2, 4, 8, 16 or 32"));
}

// What is cut off in each round is not cut off once from a sum of parts.
TEST(TeamRows, RefusesSumsThatKeepLessThanTheyTakeIn) {
  const auto refusal = [](const std::string& type, const std::string& round) {
    return KernelUnderTest("__global__ void rows(" + type +
                               "* out, const int* in, int rows, int n) {\n" + head + "  " + type +
                               " v = 0;\n  for (int j = 0; j < n; ++j) " + round +
                               "\n  out[row] = v;\n}",
                           "rows", rows)
        .refusal({team(8)});
  };
  EXPECT_THAT(refusal("long long", "v = (int)v + in[row * n + j];"), HasSubstr("handed on"));
  EXPECT_THAT(refusal("long long", "v = (int)(v + in[row * n + j]);"), HasSubstr("handed on"));
  EXPECT_THAT(refusal("long long", "v = v + in[row * n + j];"), IsEmpty());
  EXPECT_THAT(refusal("int", "v = (int)((long long)v + in[row * n + j]);"), IsEmpty());
}

}  // namespace
}  // namespace geak::clang_tool::transforms::testing
