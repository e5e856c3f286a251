#include <gmock/gmock.h>

#include "harness.h"

namespace geak::clang_tool::transforms::testing {
namespace {
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
  EXPECT_THAT(refusal(kernel("if (i > 9) return; __syncthreads(); data[i] = 1;"), halving),
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

}  // namespace
}  // namespace geak::clang_tool::transforms::testing
