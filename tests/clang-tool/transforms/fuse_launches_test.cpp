#include <gmock/gmock.h>

#include "harness.h"

namespace geak::clang_tool::transforms::testing {
namespace {
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;

const RecipeStep fuse{"fuse_launches", {{"most", 32}}};

// Pairs at a distance; each level of the transform is a launch.
const std::string walsh =
    "__global__ void walsh(float* data, int distance) {\n"
    "  const int item = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  const int left = item / distance * distance * 2 + item % distance;\n"
    "  const float a = data[left];\n"
    "  const float b = data[left + distance];\n"
    "  data[left] = a + b;\n"
    "  data[left + distance] = a - b;\n"
    "}\n";

std::string with_host(const std::string& kernel, const std::string& loop) {
  return kernel + "void run(float* data, float* other, int n, dim3 grid, hipStream_t stream) {\n" +
         loop + "\n}\n";
}

const std::string halving =
    "  for (int d = n / 2; d > 0; d /= 2) {\n"
    "    walsh<<<grid, 256, 0, stream>>>(data, d);\n"
    "    if (hipGetLastError() != hipSuccess) return;\n  }";

std::vector<SeenLaunch> seen() {
  return {launch({64, 1, 1}, {256, 1, 1}, {4096, 1024}),
          launch({64, 1, 1}, {256, 1, 1}, {4096, 64})};
}

std::string refusal(const std::string& kernel, const std::string& loop,
                    const std::string& name = "walsh") {
  return KernelUnderTest(with_host(kernel, loop), name, seen()).refusal({fuse});
}

TEST(FuseLaunches, DoesLevelsOfATransformInOneLaunch) {
  KernelUnderTest kernel(with_host(walsh, halving), "walsh", seen());
  const Variant variant = kernel.variant({fuse});
  ASSERT_TRUE(variant.launch.passes);
  EXPECT_EQ(variant.launch.passes->argument, 1U);
  EXPECT_EQ(variant.launch.passes->passes({{64, 1, 1}, {256, 1, 1}, 0}, {0, 256}), 9U);
  EXPECT_EQ(variant.launch.passes->passes({{64, 1, 1}, {256, 1, 1}, 0}, {0, 512}), 0U);
  EXPECT_THAT(variant.text, HasSubstr("__syncthreads()"));
}

TEST(FuseLaunches, KnowsOtherWaysToCount) {
  const std::string bitonic =
      "__global__ void sort(int* data, unsigned partner, unsigned run) {\n"
      "  unsigned i = threadIdx.x + blockDim.x * blockIdx.x;\n"
      "  unsigned j = i ^ partner;\n"
      "  if (j > i) {\n"
      "    const bool up = (i & run) == 0;\n"
      "    const int a = data[i], b = data[j];\n"
      "    if (up ? a > b : a < b) { data[i] = b; data[j] = a; }\n"
      "  }\n}\n"
      "void go(int* data, unsigned n) {\n"
      "  for (unsigned run = 2; run <= n; run <<= 1)\n"
      "    for (unsigned partner = run >> 1; partner > 0; partner = partner >> 1)\n"
      "      hipLaunchKernelGGL(sort, dim3(n / 256), dim3(256), 0, 0, data, partner, run);\n}\n";
  KernelUnderTest kernel(bitonic, "sort", {launch({16, 1, 1}, {256, 1, 1}, {4096, 128, 256})});
  const Variant variant = kernel.variant({fuse});
  ASSERT_TRUE(variant.launch.passes);
  EXPECT_GE(variant.launch.passes->passes({{16, 1, 1}, {256, 1, 1}, 0}, {0, 128, 256}), 8U);
}

TEST(FuseLaunches, DoesRoundsOfWhatEachItemHasForItself) {
  KernelUnderTest kernel(
      "__global__ void relax(float* x, unsigned round) {\n"
      "  x[blockIdx.x * blockDim.x + threadIdx.x] *= 1.0f / (1 + round);\n}\n"
      "void go(float* x) {\n"
      "  for (unsigned round = 0; round < 10; ++round) relax<<<64, 256>>>(x, round);\n}\n",
      "relax", {launch({64, 1, 1}, {256, 1, 1}, {4096, 0})});
  const Variant variant = kernel.variant({fuse});
  ASSERT_TRUE(variant.launch.passes);
  EXPECT_EQ(variant.launch.passes->passes({{64, 1, 1}, {256, 1, 1}, 0}, {0, 0}), 32U);
}

// The host tests the first pass's number: what holds for it need not hold for the next.
TEST(FuseLaunches, RefusesWhatRestsOnTheNumberOfOnePass) {
  const std::string thinned =
      "__global__ void thin(int* x, int by) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  x[i] = x[i] * 3 + i / by;\n}\n";
  const std::string loop =
      "for (int by = 4; by < n; by *= 2) thin<<<grid, 256, 0, stream>>>((int*)data, by);";
  KernelUnderTest kernel(with_host(thinned, loop), "thin",
                         {launch({64, 1, 1}, {256, 1, 1}, {4096, 4})});
  const auto divided = [](bool shifts) {
    return RecipeStep{"constant_division", {{"powers_of_two", shifts}, {"others", !shifts}}};
  };
  EXPECT_EQ(kernel.refusal({fuse}), "");
  EXPECT_EQ(kernel.refusal({divided(false), fuse}), "");
  EXPECT_THAT(kernel.refusal({divided(true), fuse}), HasSubstr("one pass alone"));
  const RecipeStep constant{"specialize", {{"arguments", {{"1", 4}}}}};
  EXPECT_THAT(kernel.refusal({constant, fuse}), HasSubstr("one pass alone"));
}

TEST(FuseLaunches, WorksWithLargerWorkgroups) {
  KernelUnderTest kernel(with_host(walsh, halving), "walsh", seen());
  const Variant variant = kernel.variant({{"block_shape", {{"block", {1024, 1, 1}}}}, fuse});
  ASSERT_TRUE(variant.launch.passes);
  EXPECT_EQ(variant.launch.passes->passes({{16, 1, 1}, {1024, 1, 1}, 0}, {0, 1024}), 11U);
}

const RecipeStep in_lds{"fuse_launches", {{"most", 32}, {"lds", true}}};

TEST(FuseLaunches, KeepsAWorkgroupsPartInLds) {
  KernelUnderTest kernel(with_host(walsh, halving), "walsh", seen());
  const Variant variant = kernel.variant({in_lds});
  ASSERT_TRUE(variant.launch.passes);
  ASSERT_EQ(variant.launch.passes->windows.size(), 1U);
  EXPECT_EQ(variant.launch.passes->windows[0].elements, 512);
  EXPECT_EQ(variant.launch.passes->passes({{64, 1, 1}, {256, 1, 1}, 0}, {0, 256}), 9U);
  EXPECT_EQ(variant.launch.passes->passes({{64, 1, 1}, {128, 1, 1}, 0}, {0, 64}), 0U)
      << "parts of another size";
  EXPECT_THAT(variant.text, HasSubstr("__shared__ float geak_window_data[512]"));
  EXPECT_THAT(variant.text,
              HasSubstr("const float a = geak_window_data[(unsigned)(left) - geak_base_data]"));
  // Parts are read whole: they must lie in the buffer, whatever the passes touch of them.
  EXPECT_THAT(variant.guard, HasSubstr("geak_swap::readable(data, "));
  EXPECT_THAT(variant.guard, HasSubstr("* 2048.0"));
}

TEST(FuseLaunches, RefusesPartsThatLdsCannotHold) {
  const auto kernel = [](const std::string& type, const std::string& body) {
    return "__global__ void walsh(" + type + "* data, int distance) {\n" +
           "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n" + body + "\n}\nvoid go(" +
           type + "* data) {\n" + "  for (int d = 9; d > 0; --d) walsh<<<64, 256>>>(data, d);\n}\n";
  };
  const auto refusal_of = [](const std::string& source) {
    return KernelUnderTest(source, "walsh", seen()).refusal({in_lds});
  };
  EXPECT_EQ(refusal_of(kernel("float", "data[i] += distance;")), "");
  EXPECT_THAT(refusal_of(kernel("float", "data[i + 256] += distance;")), HasSubstr("lie in parts"));
  EXPECT_THAT(refusal_of(kernel("float", "data[20 * i] += distance;")), HasSubstr("lie in parts"));
  EXPECT_THAT(refusal_of(kernel("float2", "data[i] = float2{1, 2};")), HasSubstr("lie in parts"));
  EXPECT_THAT(refusal_of(kernel("float",
                                "__shared__ float mine[256];\n  mine[threadIdx.x] = i;\n"
                                "  data[i] += mine[threadIdx.x];")),
              HasSubstr("uses LDS itself"));
  KernelUnderTest large(kernel("double", "data[8 * i + distance % 8] += distance;"), "walsh",
                        {launch({64, 1, 1}, {1024, 1, 1}, {4096, 64})});
  EXPECT_THAT(large.refusal({in_lds}), HasSubstr("do not fit"));
}

TEST(FuseLaunches, RefusesLoopsThatDoMore) {
  const auto in_loop = [](const std::string& statements) {
    return "for (int d = n / 2; d > 0; d /= 2) {" + statements + "}";
  };
  const std::string go = "walsh<<<grid, 256, 0, stream>>>(data, d);";
  EXPECT_EQ(refusal(walsh, in_loop(go)), "");
  EXPECT_EQ(refusal(walsh, in_loop(go + "hipStreamSynchronize(stream);")), "");
  EXPECT_THAT(refusal(walsh, in_loop(go + go)), HasSubstr("does more"));
  EXPECT_THAT(refusal(walsh, in_loop(go + "hipMemset(data, 0, 4);")), HasSubstr("does more"));
  EXPECT_THAT(refusal(walsh, in_loop(go + "if (n == d) break;")), HasSubstr("does more"));
  EXPECT_THAT(refusal(walsh, in_loop(go + "++n;")), HasSubstr("does more"));
  EXPECT_THAT(refusal(walsh, in_loop(go + "d /= 2;")), HasSubstr("may change"));
  EXPECT_THAT(refusal(walsh, in_loop("if (n > d) " + go)), HasSubstr("no statement of its own"));
  EXPECT_THAT(refusal(walsh, "int d = 4; while (d > 0) { " + go + " d /= 2; }"),
              HasSubstr("no statement of its own"));
  EXPECT_THAT(refusal(walsh, in_loop("float* swapped = data; data = other; other = swapped;" + go)),
              AnyOf(HasSubstr("does more"), HasSubstr("may change")));
  EXPECT_THAT(refusal(walsh, in_loop("walsh<<<dim3(d), 256, 0, stream>>>(data, d);")),
              HasSubstr("more than one part"));
  EXPECT_THAT(refusal(walsh, in_loop("walsh<<<grid, 256, 0, stream>>>(data, 2 * d);")),
              HasSubstr("no argument is"));
  EXPECT_THAT(refusal(walsh, "for (int d = n; d > 0; d -= d / 3) {" + go + "}"),
              HasSubstr("no constant"));
  EXPECT_THAT(refusal(walsh, "walsh<<<grid, 256, 0, stream>>>(data, n);"),
              HasSubstr("no statement of its own"));
}

TEST(FuseLaunches, RefusesKernelsThatMeetOtherWorkgroups) {
  const auto kernel = [](const std::string& body, const std::string& parameters = "float* data") {
    return "__device__ float state;\n__global__ void walsh(" + parameters + ", int distance) {\n" +
           "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n" + body + "\n}\n";
  };
  EXPECT_EQ(refusal(kernel("data[i] += distance;"), halving), "");
  const std::string other = "in no launch seen";
  EXPECT_THAT(refusal(kernel("data[i] = data[i + 1] + distance;"), halving), HasSubstr(other));
  EXPECT_THAT(refusal(kernel("data[i % distance] = 1;"), halving), HasSubstr(other));
  EXPECT_THAT(refusal(kernel("data[(int)data[i]] = 1;"), halving), HasSubstr(other));
  EXPECT_THAT(refusal(kernel("int at = i; at += distance; data[at] = 1;"), halving),
              HasSubstr(other));
  EXPECT_THAT(refusal(kernel("data[threadIdx.x] = 1;"), halving), HasSubstr(other));
  EXPECT_THAT(refusal(kernel("float* p = data + i; *p = 1;"), halving), HasSubstr("no element"));
  EXPECT_THAT(refusal(kernel("data[i] = 1; float* p = data; p[i + distance] = 1;"), halving),
              HasSubstr("other than by its elements"));
  EXPECT_THAT(refusal(kernel("float* p = &data[i]; p[0] = 1; data[i] = 2;"), halving),
              HasSubstr("addresses"));
  EXPECT_THAT(refusal(kernel("data[i] = state; state = 2;"), halving), HasSubstr("state"));
  EXPECT_THAT(refusal(kernel("data[i] = 1; __threadfence();"), halving), HasSubstr("fences"));
  EXPECT_THAT(refusal(kernel("for (int k = 0; k < 9; ++k) { if (i > k) return; __syncthreads(); }"
                             " data[i] = 1;"),
                      halving),
              HasSubstr("returns early"));
}

TEST(FuseLaunches, RefusesBuffersThatMayOverlap) {
  const std::string two =
      "__global__ void k(const float* from, float* to, int n) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  to[i] += from[i + n];\n}\n"
      "void go(float* a, float* b) { for (int n = 0; n < 8; ++n) k<<<64, 256>>>(a, b, n); }\n";
  const std::vector<SeenLaunch> launches = {launch({64, 1, 1}, {256, 1, 1}, {4096, 1 << 20, 0})};
  KernelUnderTest kernel(two, "k", launches);
  EXPECT_THAT(kernel.refusal({fuse}), HasSubstr("may overlap"));
  EXPECT_TRUE(
      kernel.variant({{"restrict", nlohmann::json::object()}, fuse}).launch.passes.has_value());
}

/// `kernel(x, y, n, pass)` of one workgroup, whose launches count from 0 on; `others` are seen too.
struct Alone {
  explicit Alone(const std::string& body, const std::vector<SeenLaunch>& others = {},
                 const std::string& parameters = "float* x, float* y")
      : test("__global__ void alone(" + parameters + ", int n, int pass) {\n" + body + "\n}\n" +
                 "void go(float* x, float* y, int n, dim3 grid, dim3 block) {\n"
                 "  for (int pass = 0; pass < n; ++pass) alone<<<grid, block>>>(x, y, n, "
                 "pass);\n}\n",
             "alone", seen_with(others)) {}

  static std::vector<SeenLaunch> seen_with(std::vector<SeenLaunch> others) {
    others.push_back(launch({1, 1, 1}, {16, 8, 1}, {4096, 8192, 100, 0}));
    return others;
  }
  std::string refusal() { return test.refusal({fuse}); }
  /// One launch after another, and all of them at once.
  Variant run_alike(const std::string& block) {
    const Variant variant = test.variant({fuse});
    const std::string launches =
        "  std::vector<float> values(4096);\n"
        "  for (size_t i = 0; i < values.size(); ++i) values[i] = float(i * 37 % 101) / 8;\n"
        "  float *x = on_device(values), *y = on_device(values);\n"
        "  float *u = on_device(values), *v = on_device(values);\n"
        "  const dim3 block(" +
        block + ");\n" +
        "  for (int pass = 0; pass < 20; ++pass) alone<<<1, block>>>(x, y, 100, pass);\n"
        "  VARIANT<<<1, block>>>(u, v, 100, 12 << 16);\n"
        "  VARIANT<<<1, block>>>(u, v, 100, 12 | 8 << 16);\n"
        "  if (hipDeviceSynchronize() != hipSuccess) return 4;\n"
        "  return same(x, u, values.size()) && same(y, v, values.size()) ? 0 : 1;\n";
    test.run(variant, "int main() {\n" + launches + "}\n");
    return variant;
  }

  KernelUnderTest test;
};

const std::string item = "  const int i = threadIdx.y * blockDim.x + threadIdx.x;\n";

TEST(FuseLaunches, OneWorkgroupOfAnyShapeMeetsNobody) {
  // Pointers that may overlap, indices that nothing is known of, elements of others.
  Alone paths(
      "  const int row = blockIdx.y * blockDim.y + threadIdx.y;\n"
      "  const int column = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (row >= n || column >= n) return;\n"
      "  const float over = x[row * 16 + pass % 16 + 256] + x[pass % 16 * 16 + column + 512];\n"
      "  if (over < x[row * 16 + column]) { *(y + row * 16 + column) = over; }\n",
      {launch({4, 4, 1}, {16, 8, 1}, {4096, 8192, 100, 0})});
  const Variant variant = paths.run_alike("16, 8");
  ASSERT_TRUE(variant.launch.passes);
  const auto passes = [&](support::Extent grid) {
    return variant.launch.passes->passes({grid, {16, 8, 1}, 0}, {0, 0, 100, 0});
  };
  EXPECT_EQ(passes({1, 1, 1}), 32U);
  EXPECT_EQ(passes({2, 1, 1}), 0U);
  EXPECT_EQ(passes({1, 2, 1}), 0U);
  EXPECT_EQ(passes({1, 1, 2}), 0U);
}

TEST(FuseLaunches, WorkItemsThatReturnStayForBarriers) {
  Alone relax("  __shared__ float row[256];\n" + item +
              "  if (i >= n) return;\n"
              "  row[i] = x[i];\n"
              "  __syncthreads();\n"
              "  const float left = i > 0 ? row[i - 1] : 0, right = i + 1 < n ? row[i + 1] : 0;\n"
              "  if (i % 3 == pass % 3) { y[i] += left; return; }\n"
              "  x[i] = 0.25f * left + 0.5f * row[i] + 0.25f * right;\n");
  EXPECT_THAT(relax.run_alike("16, 16").text,
              AllOf(HasSubstr("bool geak_works = true;"), HasSubstr("geak_works = false;")));
}

TEST(FuseLaunches, BarriersInLoopsThatAllRunAlikeAreMet) {
  Alone reduce("  __shared__ float parts[256];\n" + item +
               "  float mine = x[i];\n  parts[i] = mine;\n  __syncthreads();\n"
               "  if (i >= 128 + pass) return;\n"
               "  for (int width = 64; width > 0; width >>= 1) {\n"
               "    if (i < width) parts[i] += parts[i + width];\n    __syncthreads();\n  }\n"
               "  if (pass > 3) { x[i] = mine * 0.5f; __syncthreads(); mine += x[i + 1]; }\n"
               "  y[i] += mine + parts[0];\n");
  reduce.run_alike("16, 16");
}

TEST(FuseLaunches, RefusesReturnsBesideBarriersThatNotAllMeet) {
  const std::string leave = item + "  if (i > 200) return;\n";
  const std::string why = "in a way that cannot be put off";
  EXPECT_EQ(Alone(leave + "__syncthreads(); x[i] = 1;").refusal(), "");
  for (const char* wait :
       {"if (x[0] > 3) __syncthreads();", "if (i < 99) __syncthreads();",
        "for (int k = 0; k < i; ++k) __syncthreads();",
        "for (int k = 0; k < n; ++k) { if (x[k] > 3) continue; __syncthreads(); }",
        "for (int k = 0; k < n; ++k) { if (x[k] > 3) break; __syncthreads(); }",
        "for (int k = 0; k < n; k += i) __syncthreads();",
        "if (__syncthreads_count(i > 3) > 9) x[i] = 2;",
        "while (n < pass) { __syncthreads(); ++n; }"})
    EXPECT_THAT(Alone(leave + wait + " x[i] += 1;").refusal(), HasSubstr(why)) << wait;
}

TEST(FuseLaunches, RefusesWhatOneWorkgroupDoesNotSeeOrSeveralMeet) {
  EXPECT_THAT(Alone(item + "x[i] = __ldg(y + i);").refusal(), HasSubstr("does not notice"));
  EXPECT_THAT(Alone(item + "x[i] = 1; __threadfence_block();").refusal(), HasSubstr("fences"));
  Alone apart(item + "x[i] = y[i + pass];", {},
              "float* __restrict__ x, const float* __restrict__ y");
  EXPECT_THAT(apart.test.variant({fuse}).guard, HasSubstr("apart(x, y)"));
  KernelUnderTest several(
      "__global__ void k(float* x, float* y, int pass) { x[threadIdx.x] = y[pass]; }\n"
      "void go(float* x) { for (int p = 0; p < 9; ++p) k<<<4, 64>>>(x, x, p); }\n",
      "k", {launch({4, 1, 1}, {64, 1, 1}, {4096, 8192, 0})});
  EXPECT_THAT(several.refusal({fuse}), HasSubstr("may overlap"));
}

}  // namespace
}  // namespace geak::clang_tool::transforms::testing
