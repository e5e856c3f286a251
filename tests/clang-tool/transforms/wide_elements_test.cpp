#include <gmock/gmock.h>

#include "harness.h"

namespace geak::clang_tool::transforms::testing {
namespace {
using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

RecipeStep step(unsigned elements, unsigned in_flight = 1) {
  return {"wide_elements", {{"elements", elements}, {"in_flight", in_flight}}};
}
RecipeStep anywhere(unsigned elements, unsigned in_flight = 1, const json& how = "direct") {
  return {"wide_elements", {{"elements", elements}, {"in_flight", in_flight}, {"anywhere", how}}};
}
RecipeStep shifted(unsigned elements, unsigned in_flight = 1) {
  return anywhere(elements, in_flight, "shifted");
}

const char* const gated =
    "__device__ float wide(unsigned short bits) { return __uint_as_float(unsigned(bits) << 16); }\n"
    "__device__ unsigned short narrow(float x) { return __float_as_uint(x) >> 16; }\n"
    "__global__ void gate(unsigned short* out, const unsigned short* in, int d) {\n"
    "  const long row = blockIdx.x;\n"
    "  for (long i = threadIdx.x; i < d; i += blockDim.x) {\n"
    "    const float x = wide(in[row * 2 * d + i]);\n"
    "    out[row * d + i] = narrow(x / (1 + expf(-x)) * wide(in[row * 2 * d + d + i]));\n  }\n}";

TEST(WideElements, RowsOfSixteenBitsAreReadAndStoredEightAtOnce) {
  KernelUnderTest kernel(gated, "gate");
  const Variant variant = kernel.variant({step(8)});
  EXPECT_THAT(variant.text,
              AllOf(HasSubstr("struct alignas(16) geak_pack0_0"),
                    HasSubstr("(in) + (row * 2 * d + d + ((long)(geak_first0)))) % 16 == 0"),
                    HasSubstr("wide(geak_values0_0[geak_set0].of[geak_nth0])"),
                    HasSubstr("reinterpret_cast<geak_lump0_1*>((out)"),

                    Not(HasSubstr("geak_word")),
                    HasSubstr("} else {\ngeak_left0 = 0;\nfor (long i = threadIdx.x; i < d;")));
  EXPECT_THAT(variant.guard, HasSubstr("apart(out, in)"));
  EXPECT_TRUE(variant.launch.axes == support::LaunchChange().axes);
}

TEST(WideElements, RowsThatBeginAnywhereComeOutAsTheyDid) {
  KernelUnderTest kernel(gated, "gate");
  std::vector<SampleRun> runs;
  for (const int width : {0, 1, 7, 8, 9, 63, 64, 129, 1407, 1408})
    for (const char* moved : {"", " + 3"}) {
      const std::string w = std::to_string(width), m = moved;
      runs.push_back({launch({5, 1, 1}, {64, 1, 1}), "buffer<unsigned short>(0, 5 * " + w +
                                                         " + 16, 0, 60000)" + m +
                                                         ", buffer<unsigned short>(1, 10 * " + w +
                                                         " + 16, 0, 60000)" + m + ", " + w});
    }
  EXPECT_THAT(kernel.text({anywhere(8)}), HasSubstr("reinterpret_cast<const geak_word0_0*>((in)"));
  for (const RecipeStep& one :
       {step(8), anywhere(4, 2), anywhere(16), shifted(4, 2), shifted(8), shifted(16)})
    kernel.run_alike(kernel.variant({one}), runs);
}

/// A sum of rows of two types, each at any address that its elements may lie at and as long as what
/// is allocated.
std::vector<SampleRun> displaced(const std::string& out, const std::string& in,
                                 const std::string& last) {
  std::vector<SampleRun> runs;
  for (int moved = 0; moved < 16; ++moved)
    for (const int width : {257, 31 + moved}) {
      const auto buffer = [&](int number, const std::string& type, int first) {
        return "buffer<" + type + ">(" + std::to_string(number) + ", " +
               std::to_string(first + width) + ", 0, 99) + " + std::to_string(first);
      };
      runs.push_back({launch({1, 1, 1}, {32, 1, 1}),
                      buffer(0, out, moved * 5 % 16) + ", " + buffer(1, in, moved) + ", " +
                          buffer(2, last, moved * 3 % 16) + ", " + std::to_string(width)});
    }
  return runs;
}

TEST(WideElements, EveryDisplacementOfEverySizeIsShiftedAway) {
  struct Types {
    const char *out, *in, *last;
    unsigned elements;
  };
  for (const auto& [out, in, last, elements] :
       {Types{"char", "char", "short", 16}, Types{"char", "char", "char", 4},
        Types{"unsigned short", "char", "short", 8}, Types{"float", "float", "short", 4},
        Types{"short", "float", "double", 8}}) {
    const std::string list = std::string(out) + "* out, const " + in + "* a, const " + last + "* b";
    KernelUnderTest kernel("__global__ void sum(" + list +
                               ", int n) {\n"
                               "  for (int i = threadIdx.x; i < n; i += blockDim.x)\n"
                               "    out[i] = a[i] + b[i];\n}",
                           "sum");
    kernel.run_alike(kernel.variant({shifted(elements)}), displaced(out, in, last));
  }
}

TEST(WideElements, RecordsAreShiftedByWhatTheirMembersAllow) {
  KernelUnderTest kernel(
      "struct Four { unsigned short x, y, z, w; };\n"
      "__global__ void first(unsigned short* out, const Four* rows, int n) {\n"
      "  for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = rows[i].x ^ rows[i].w;\n}",
      "first");
  std::vector<SampleRun> runs;
  for (const char* moved : {"0", "1", "2", "3", "4", "5", "6", "7"})
    runs.push_back({launch({1, 1, 1}, {64, 1, 1}),
                    std::string("buffer<unsigned short>(0, 1000, 0, 60000) + 5, "
                                "(Four*)(buffer<unsigned short>(1, 1000, 0, 60000) + ") +
                        moved + "), 240"});
  const auto text = kernel.text({shifted(4)});
  EXPECT_THAT(text, HasSubstr("geak_shift0_"));
  kernel.run_alike(kernel.variant({shifted(4)}), runs);
}

TEST(WideElements, PiecesThatCoverLieWithinTheRowsThatAreRead) {
  KernelUnderTest kernel(gated, "gate");
  const std::string text = kernel.text({shifted(8)});
  EXPECT_THAT(text, AllOf(HasSubstr("if (geak_count0 - geak_first0 >= 24 && "),
                          HasSubstr("geak_first0 += 8;\ngeak_left0 += 16;\n"),
                          HasSubstr("geak_at0 + 8 <= geak_count0 - geak_left0")));
  // What a neighbour stores meanwhile is no part of a piece.
  KernelUnderTest updated(
      "__global__ void add(float* x, float* y, const float* z, int n) {\n"
      "  for (int i = threadIdx.x; i < n; i += blockDim.x) { x[i] += z[i]; y[i] += x[i]; }\n}",
      "add");
  EXPECT_THAT(updated.text({shifted(4)}),
              AllOf(HasSubstr("geak_cover0_1 "), HasSubstr("geak_word0_2"),
                    Not(HasSubstr("geak_cover0_0")), Not(HasSubstr("geak_cover0_2"))));
}

TEST(WideElements, RefusesToCoverWhatNothingElseAligns) {
  const auto kernel = [](const char* body) {
    return KernelUnderTest(
        "__global__ void k(float* a, const char* b, char* c, int n) {\n"
        "  for (int i = threadIdx.x; i < n; i += blockDim.x) " +
            std::string(body) + ";\n}",
        "k");
  };
  EXPECT_THAT(kernel("a[i] *= 2").refusal({shifted(4)}), HasSubstr("is only read, beside"));
  EXPECT_THAT(kernel("a[i] += (c[i] += 1)").refusal({shifted(4)}), HasSubstr("is only read"));
  EXPECT_THAT(kernel("a[i] = b[i]").refusal({shifted(2)}), HasSubstr("four bytes or more"));
  EXPECT_THAT(kernel("a[i] = b[i]").refusal({anywhere(4, 1, "always")}),
              HasSubstr("anywhere is true"));
  EXPECT_EQ(kernel("a[i] = b[i]").text({anywhere(4, 1, true)}),
            kernel("a[i] = b[i]").text({anywhere(4)}));
}

TEST(WideElements, SeveralSetsAreLoadedBeforeAnyIsUsed) {
  KernelUnderTest kernel(gated, "gate");
  EXPECT_THAT(kernel.text({step(4, 2)}), AllOf(HasSubstr("geak_pack0_0 geak_values0_0[2];"),
                                               HasSubstr("geak_at0 + geak_all0 * 4 + 4 <=")));
}

TEST(WideElements, GridStridesUpdateInPlace) {
  KernelUnderTest kernel(
      "__global__ void adam(float* p, float* m, const float* g, float rate, int n) {\n"
      "  const int all = gridDim.x * blockDim.x;\n"
      "  for (int j = blockIdx.x * blockDim.x + threadIdx.x; j < n; j += all) {\n"
      "    m[j] = 0.9f * m[j] + 0.1f * g[j];\n    p[j] -= rate * m[j];\n  }\n}",
      "adam");
  const Variant variant = kernel.variant({step(4)});
  EXPECT_THAT(variant.text, HasSubstr("geak_values0_0[geak_set0].of[geak_nth0] = 0.9f"));
  kernel.run_alike(variant, {{launch({3, 1, 1}, {64, 1, 1}),
                              "buffer<float>(0, 999, -1, 1) + 1, buffer<float>(1, 999, -1, 1), "
                              "buffer<float>(2, 999, -1, 1) + 3, 0.5f, 990"},
                             {launch({1, 1, 1}, {32, 1, 1}),
                              "buffer<float>(0, 8, -1, 1), buffer<float>(1, 8, -1, 1), "
                              "buffer<float>(2, 8, -1, 1), 0.5f, 2"}});
}

TEST(WideElements, LoopsWithinARoundThatCertainlyRunKeepElementsInRegisters) {
  const auto steps = [](const std::string& inner) {
    return KernelUnderTest(
        "__global__ void steps(float* m, const float* g, const int* times, int steps, size_t n) {\n"
        "  for (size_t j = blockIdx.x * blockDim.x + threadIdx.x; j < n;\n"
        "       j += gridDim.x * blockDim.x) {\n" +
            inner + " m[j] = 0.9f * m[j] + g[j] / t;\n  }\n}",
        "steps");
  };
  EXPECT_THAT(steps("for (int t = 1; t <= steps; t++)").text({step(4)}),
              AllOf(HasSubstr("(int)(1) <= (steps)"), HasSubstr(".of[geak_nth0] / t;")));
  for (const char* head :
       {"for (int t = 1; t <= times[0]; t++)", "for (int t = 1; t <= (int)j; t++)",
        "int t = 1; while (t++ < steps)", "int t = 2; if (steps > 3)"})
    EXPECT_THAT(steps(head).refusal({step(4)}), HasSubstr("no array is reached")) << head;
}

TEST(WideElements, SingleItemsTakeAsManyAsTheBoundLeaves) {
  KernelUnderTest kernel(
      "#include <hip/hip_fp16.h>\n"
      "__global__ void scale(__half* out, const __half* in, float s, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n) return;\n"
      "  out[i] = __float2half(__half2float(in[i]) * s);\n}",
      "scale", {launch({5, 1, 1}, {64, 1, 1}, {4096, 8192, std::nullopt, 300})});
  const Variant variant = kernel.variant({step(8)});
  EXPECT_THAT(variant.text, HasSubstr("geak_at0 + geak_nth0 < geak_count0"));
  EXPECT_THAT(variant.guard, HasSubstr("geak_grid.x * geak_block.x >= (long long)(n)"));
  EXPECT_EQ(variant.launch.axes[0].grid, support::GridRule::cover);
  EXPECT_EQ(variant.launch.axes[0].grid_value, 8U);
  for (const RecipeStep& one : {anywhere(8), shifted(8), shifted(4)})
    kernel.run_alike(
        kernel.variant({one}),
        {{launch({5, 1, 1}, {64, 1, 1}),
          "buffer<__half>(0, 400, 0, 1) + 1, buffer<__half>(1, 400, -9, 9) + 2, 3.5f, "
          "300"},
         {launch({7, 1, 1}, {64, 1, 1}),
          "buffer<__half>(0, 400, 0, 1), buffer<__half>(1, 400, -9, 9) + 3, 3.5f, 397"}});
}

TEST(WideElements, SingleItemsWithoutABoundDivideTheGrid) {
  const std::string triad =
      "__global__ void triad(double* a, const double* b, const double* c) {\n"
      "  const int i = blockDim.x * blockIdx.x + threadIdx.x;\n  a[i] = b[i] + 0.4 * c[i];\n}";
  KernelUnderTest even(triad, "triad", {launch({8, 1, 1}, {256, 1, 1}, {4096, 8192, 12288})});
  EXPECT_EQ(even.variant({step(2)}).launch.axes[0].grid, support::GridRule::divide);
  KernelUnderTest odd(triad, "triad", {launch({7, 1, 1}, {256, 1, 1}, {4096, 8192, 12288})});
  EXPECT_THAT(odd.refusal({step(2)}), HasSubstr("do not divide evenly"));
}

// Launches of nothing pass null for all: that is what keeps a variant from running, not the grid.
TEST(WideElements, SaysThatPointersAreNotApart) {
  const std::string copy =
      "__global__ void copy(float* out, const float* in, int n) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) out[i] = in[i];\n}";
  const auto refusal = [&](std::int64_t out, std::int64_t in) {
    return KernelUnderTest(copy, "copy", {launch({5, 1, 1}, {64, 1, 1}, {out, in, 300})})
        .refusal({step(4)});
  };
  EXPECT_EQ(refusal(4096, 8192), "");
  EXPECT_THAT(refusal(0, 0), HasSubstr("arguments 0 and 1 are one address"));
  EXPECT_THAT(refusal(4096, 4096), HasSubstr("arguments 0 and 1 are one address"));
}

// After an early return a branch at the end is the item's own, whatever its condition.
TEST(WideElements, ABranchThatIsNotTheBoundStaysOne) {
  for (const char* branch :
       {"if (v > 50) y[i] = v * 2; else y[i] = -v;", "if (v > 50) { y[i] = v * 2; }",
        "if (i + 3 < n) { y[i] = v * 2; } else { y[i] = 7; }"}) {
    KernelUnderTest kernel(
        "__global__ void f(float* y, const float* x, int n) {\n"
        "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  if (i >= n) return;\n  float v = x[i];\n  " +
            std::string(branch) + "\n}",
        "f");
    std::vector<SampleRun> runs;
    for (const char* n : {"1", "250", "253", "256"})
      runs.push_back(
          {launch({4, 1, 1}, {64, 1, 1}),
           std::string("buffer<float>(0, 256, 0, 100), buffer<float>(1, 256, 0, 100), ") + n});
    kernel.run_alike(kernel.variant({step(2)}), runs);
  }
}

TEST(WideElements, ConditionalReadsOfWhatEveryRoundReadsComeFromRegisters) {
  KernelUnderTest kernel(
      "__global__ void relu(float* x, const float* bias, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) { x[i] = x[i] > 0 ? x[i] : 0; if (bias) x[i] += bias[i]; }\n}",
      "relu");
  // Elements that are stored at times, or may not be there, are left alone.
  EXPECT_THAT(kernel.refusal({step(4)}), HasSubstr("no array is reached"));
  KernelUnderTest plain(
      "__global__ void relu(float* x, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) x[i] = x[i] > 0 ? x[i] : 0;\n}",
      "relu");
  EXPECT_THAT(plain.text({step(4)}), HasSubstr(".of[geak_nth0] > 0 ? geak_values0_0[geak_set0]"));
}

const std::string norm_head =
    "__global__ void norm(float* out, const float* in, const float* weight, int d) {\n"
    "  __shared__ float parts[256], scale;\n  float sum = 0;\n"
    "  for (int i = threadIdx.x; i < d; i += blockDim.x) sum += in[blockIdx.x * d + i];\n"
    "  parts[threadIdx.x] = sum;\n  __syncthreads();\n"
    "  if (threadIdx.x == 0) { for (int t = 1; t < 256; ++t) sum += parts[t]; scale = sum; }\n"
    "  __syncthreads();\n";

TEST(WideElements, LoopsBehindABarrierMayBeSharedOutAnew) {
  KernelUnderTest kernel(norm_head +
                             "  const float f = rsqrtf(scale / d);\n"
                             "  for (int i = threadIdx.x; i < d; i += blockDim.x)\n"
                             "    out[blockIdx.x * d + i] = in[blockIdx.x * d + i] * f * "
                             "weight[i];\n}",
                         "norm");
  const std::string text = kernel.text({step(4)});
  // An index of 32 unsigned bits must not wrap; the sum stays with its work-items.
  EXPECT_THAT(text, AllOf(HasSubstr("+ geak_count0 <= 4294967296ull"),
                          HasSubstr("i += blockDim.x) sum +=")));
}

TEST(WideElements, RefusesWhatOtherStatementsOfTheSameWorkItemCountOn) {
  KernelUnderTest kernel(norm_head +
                             "  for (int i = threadIdx.x; i < d; i += blockDim.x)\n"
                             "    out[blockIdx.x * d + i] = in[blockIdx.x * d + i] * scale;\n"
                             "  out[blockIdx.x * d + threadIdx.x] += 1;\n}",
                         "norm");
  EXPECT_THAT(kernel.refusal({step(4)}), HasSubstr("sum"));
}

class Refuses : public ::testing::Test {
 protected:
  /// Of a loop over `a`, `b` and `n`.
  static std::string loop(
      const std::string& body,
      const std::string& head = "for (int i = threadIdx.x; i < n; i += blockDim.x)") {
    return KernelUnderTest(
               "__device__ int total;\n"
               "__global__ void k(float* a, const float* b, const int* at, int n) {\n"
               "  float s = 0;\n" +
                   head + " {\n" + body + "\n  }\n  if (s > 3) a[0] = s;\n}",
               "k")
        .refusal({step(4)});
  }
};

TEST_F(Refuses, RoundsThatDependOnEachOther) {
  EXPECT_THAT(loop("s += b[i]; a[i] = s;"), HasSubstr("hand s on"));
  EXPECT_THAT(loop("a[i] = a[i + 1];"), HasSubstr("may reach what another one stores"));
  EXPECT_THAT(loop("a[i] = b[i]; a[i + n] = b[i];"), HasSubstr("may reach what another"));
  EXPECT_THAT(loop("a[at[i]] = b[i];"), HasSubstr("elsewhere than to its own element"));
  EXPECT_THAT(loop("a[2 * i] = b[i];"), HasSubstr("elsewhere than to its own element"));
  EXPECT_THAT(loop("atomicAdd(&a[i], b[i]);"), HasSubstr("call"));
  EXPECT_THAT(loop("a[i] = b[i]; total = i;"), HasSubstr("total"));
}

TEST_F(Refuses, RoundsThatDependOnTheWorkItem) {
  EXPECT_THAT(loop("a[i] = b[i] + threadIdx.x;"), HasSubstr("depends on the work-item"));
  EXPECT_THAT(loop("const int lane = threadIdx.x; a[i] = lane;"), HasSubstr("work-item"));
  EXPECT_THAT(loop("a[i] = __shfl(b[i], 0);"), HasSubstr("call"));
  const std::string grid =
      "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)";
  EXPECT_THAT(loop("a[i] = b[i] + blockIdx.x;", grid), HasSubstr("depends on the work-item"));
}

TEST_F(Refuses, LoopsOfOtherRounds) {
  const auto nothing = Not(HasSubstr("depends on"));
  for (const char* head : {"for (int i = threadIdx.x; i < n; i += 64)",
                           "for (int i = threadIdx.x + 1; i < n; i += blockDim.x)",
                           "for (int i = threadIdx.x; i <= n; i += blockDim.x)",
                           "for (int i = threadIdx.x; i < n; i += gridDim.x)",
                           "for (int i = blockIdx.x; i < n; i += gridDim.x)",
                           "for (short i = threadIdx.x; i < n; i += blockDim.x)",
                           "if (threadIdx.x < 7) for (int i = threadIdx.x; i < n; i += blockDim.x)",
                           "for (int i = threadIdx.x; i < at[0]; i += blockDim.x)"}) {
    const std::string refusal = loop("a[i] = b[i];", head);
    EXPECT_THAT(refusal, AllOf(Not(HasSubstr("internal")), nothing)) << head;
    EXPECT_NE(refusal, "") << head;
  }
  EXPECT_NE(loop("if (b[i] > 9) break; a[i] = b[i];"), "");
  EXPECT_NE(loop("if (b[i] > 9) continue; a[i] = b[i];"), "");
}

TEST(WideElements, RefusesALoopThatSomeWorkItemsDoNotReach) {
  KernelUnderTest kernel(
      "__global__ void k(float* a, int n) {\n  if (threadIdx.x > 99) return;\n"
      "  for (int i = threadIdx.x; i < n; i += blockDim.x) a[i] = 1;\n}",
      "k");
  EXPECT_NE(kernel.refusal({step(4)}), "");
}

TEST(WideElements, RefusesItemsThatReturnForReasonsOfTheirOwn) {
  KernelUnderTest kernel(
      "__global__ void k(float* a, const int* mask, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n) return;\n"
      "  if (!mask[i]) return;\n  a[i] = 1;\n}",
      "k");
  EXPECT_THAT(kernel.refusal({step(4)}), HasSubstr("single items may return"));
}

}  // namespace
}  // namespace geak::clang_tool::transforms::testing
