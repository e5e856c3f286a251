#include <gmock/gmock.h>

#include "harness.h"

namespace geak::clang_tool::transforms::testing {
namespace {
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

RecipeStep step(unsigned entries) { return {"collect_atomics", {{"entries", entries}}}; }

const char* const histogram =
    "__global__ void count(unsigned* bins, const unsigned char* keys, int n) {\n"
    "  const int all = gridDim.x * blockDim.x;\n"
    "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += all)\n"
    "    atomicAdd(&bins[keys[i]], 1u);\n}";

TEST(CollectAtomics, CountsIntoBinsOfItsOwnAndPassesOnTheirSums) {
  KernelUnderTest kernel(histogram, "count");
  const Variant variant = kernel.variant({step(256)});
  EXPECT_THAT(variant.text, AllOf(HasSubstr("__shared__ unsigned int geak_part0_0[256];"),
                                  HasSubstr("atomicAdd(&geak_part0_0[geak_nth0], geak_given0)"),
                                  Not(HasSubstr("[&]"))));
  EXPECT_THAT(variant.guard, HasSubstr("apart(bins, keys)"));
  for (const RecipeStep& entries : {step(256), step(100)})
    kernel.run_alike(kernel.variant({entries}),
                     {{launch({3, 1, 1}, {64, 1, 1}),
                       "buffer<unsigned>(0, 256, 0, 9), buffer<unsigned char>(1, 5000, 0, 255), "
                       "5000"},
                      {launch({2, 1, 1}, {16, 4, 1}),
                       "buffer<unsigned>(0, 256, 0, 9), buffer<unsigned char>(1, 90, 40, 50), 0"}});
}

TEST(CollectAtomics, WorkItemsThatReturnStillPassOnWhatOthersCollect) {
  KernelUnderTest kernel(
      "__global__ void bounds(int* least, int* most, const int* rows, int n) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n) return;\n"
      "  const int row = rows[i];\n  if (row == 7) return;\n"
      "  for (int k = 0; k < 3; ++k) { if (k == row) return; atomicMin(least, row - k); }\n"
      "  atomicMax(most, row);\n}",
      "bounds");
  const Variant variant = kernel.variant({step(1)});
  EXPECT_THAT(variant.text, HasSubstr("[&] {"));
  kernel.run_alike(variant, {{launch({5, 1, 1}, {128, 1, 1}),
                              "buffer<int>(0, 1, 50, 60), buffer<int>(1, 1, -60, -50), "
                              "buffer<int>(2, 600, -40, 40), 600"},
                             {launch({1, 1, 1}, {64, 1, 1}),
                              "buffer<int>(0, 1, 0, 1), buffer<int>(1, 1, 0, 1), "
                              "buffer<int>(2, 64, 1000000, 2147483000), 9"}});
}

TEST(CollectAtomics, AWorkgroupsOwnRowIsCollectedFromItsBegin) {
  KernelUnderTest kernel(
      "__global__ void rows(unsigned long long* sums, int* marks, const int* keys, int n,\n"
      "                     int width) {\n"
      "  unsigned long long* const mine = sums + blockIdx.x * width;\n"
      "  for (int i = threadIdx.x; i < n; i += blockDim.x) {\n"
      "    if (keys[i] & 1) atomicAdd(mine + keys[i], keys[i] * 1000000000ull);\n"
      "    else atomicXor(&marks[blockIdx.x], keys[i]);\n  }\n}",
      "rows");
  kernel.run_alike(kernel.variant({step(64)}),
                   {{launch({4, 1, 1}, {64, 1, 1}),
                     "buffer<unsigned long long>(0, 400, 0, 9), buffer<int>(1, 4, 0, 9), "
                     "buffer<int>(2, 1000, 0, 99), 1000, 100"}});
}

TEST(CollectAtomics, WorkItemsTakeSeveralItemsToCollectMore) {
  const std::string head =
      "__global__ void count(int* bins, const short* keys, int n) {\n"
      "  int i = blockDim.x * blockIdx.x + threadIdx.x;\n";
  const RecipeStep several{"collect_atomics", {{"entries", 64}, {"items", 4}}};
  KernelUnderTest bounded(head + "  if (i < n) { atomicAdd(&bins[keys[i]], 1); }\n}", "count",
                          {launch({5, 1, 1}, {64, 1, 1})});
  EXPECT_THAT(bounded.refusal({several}), HasSubstr("no early return"));
  KernelUnderTest kernel(
      head + "  if (i >= n) return;\n  atomicOr(&bins[keys[i]], 1 << i % 32);\n}", "count",
      {launch({5, 1, 1}, {64, 1, 1})});
  const Variant variant = kernel.variant({several});
  EXPECT_EQ(variant.launch.axes[0].grid, support::GridRule::cover);
  kernel.run_alike(variant, {{launch({5, 1, 1}, {64, 1, 1}),
                              "buffer<int>(0, 80, 0, 9), buffer<short>(1, 300, 0, 79), 300"},
                             {launch({8, 1, 1}, {64, 1, 1}),
                              "buffer<int>(0, 80, 0, 9), buffer<short>(1, 512, 0, 79), 512"}});
}

TEST(CollectAtomics, SumsOfFloatsByKeyDifferByRoundingAlone) {
  for (const char* type : {"float", "double"}) {
    KernelUnderTest kernel(std::string("__global__ void sums(") + type +
                               "* sums, const int* keys, const " + type +
                               "* x, int n) {\n"
                               "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                               "  if (i < n) atomicAdd(&sums[keys[i]], x[i]);\n}",
                           "sums");
    const std::string t = type;
    kernel.run_alike(kernel.variant({step(64)}),
                     {{launch({5, 1, 1}, {64, 1, 1}),
                       "buffer<" + t + ">(0, 80, 0, 9), buffer<int>(1, 300, 0, 79), buffer<" + t +
                           ">(2, 300, -1, 1), 300"}},
                     1e-6);
  }
}

TEST(CollectAtomics, DynamicLdsIsNoMoreThanSeenBesideItsOwn) {
  const std::string counting = "  atomicAdd(&bins[lds[threadIdx.x]], 1u);\n}";
  SeenLaunch large = launch({4, 1, 1}, {64, 1, 1});
  large.launch.dynamic_lds = 4096;
  const SeenLaunch small = launch({4, 1, 1}, {64, 1, 1});
  const auto guard = [&](const std::string& lds, const std::vector<SeenLaunch>& seen) {
    return KernelUnderTest(
               "__device__ unsigned look() { __shared__ unsigned l; return l; }\n"
               "__global__ void count(unsigned* bins) {\n" +
                   lds + counting,
               "count", seen)
        .variant({step(64)})
        .guard;
  };
  EXPECT_EQ(guard("  extern __shared__ unsigned lds[];\n", {small, large}), "geak_lds <= 4096u");
  EXPECT_EQ(guard("  extern __shared__ unsigned lds[];\n", {small}), "geak_lds <= 0u");
  EXPECT_EQ(guard("  __shared__ unsigned lds[64];\n", {small}), "");
  EXPECT_EQ(guard("  __shared__ unsigned lds[64];\n  lds[0] = look();\n", {small}),
            "geak_lds <= 0u");
}

std::string refusal(const std::string& body) {
  return KernelUnderTest(
             "__device__ unsigned total;\n"
             "__global__ void k(unsigned* bins, const int* keys, float* sums, int n) {\n"
             "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n" +
                 body + "\n}",
             "k")
      .refusal({step(64)});
}

TEST(CollectAtomics, TakesWhatTheRefusalsLack) {
  EXPECT_EQ(refusal("if (i < n) atomicAdd(&bins[keys[i]], 2u);"), "");
}

TEST(CollectAtomics, RefusesWhereTheOrderCanBeTold) {
  const auto nothing = HasSubstr("there is no array of numbers");
  for (const char* body :
       {"sums[i] = atomicAdd(&bins[keys[i]], 1u);",
        "atomicAdd(&bins[keys[i]], 1u); sums[i] = bins[0];",
        "atomicAdd(&bins[0], 1u); atomicMax(&bins[1], 3u);", "atomicAdd(&bins[bins[i]], 1u);",
        "atomicAdd(&bins[0], bins[1]);", "atomicExch(&bins[0], 1u);", "atomicMax(&sums[0], 1.0f);",
        "unsigned* p = bins; if (n > 3) p = p + 1; atomicAdd(p, 1u);",
        "unsigned* p = bins + i; atomicAdd(p, 1u);", "bins += 1; atomicAdd(bins, 1u);",
        "unsigned* p = bins; p[1] = 3; atomicAdd(p, 1u); atomicAdd(bins, 1u);"})
    EXPECT_THAT(refusal(body), nothing) << body;
}

TEST(CollectAtomics, RefusesWhereOthersMayWaitForIt) {
  EXPECT_THAT(refusal("atomicAdd(&bins[0], 1u); __threadfence();"), HasSubstr("fences"));
  EXPECT_THAT(refusal("atomicAdd(&bins[0], 1u); while (*(volatile int*)keys == 0) ;"),
              HasSubstr("volatile"));
  EXPECT_THAT(refusal("atomicAdd(&bins[0], 1u); total = 3;"), HasSubstr("device variable total"));
}

TEST(CollectAtomics, RefusesToEndBeforeOthersHaveMetTheirBarriers) {
  EXPECT_THAT(refusal("if (i >= n) return; __syncthreads(); atomicAdd(&bins[keys[i]], 1u);"),
              HasSubstr("barriers and returns early"));
  EXPECT_EQ(refusal("__syncthreads(); if (i < n) atomicAdd(&bins[keys[i]], 1u);"), "");
}

TEST(CollectAtomics, RefusesMoreThanHalfOfTheLds) {
  KernelUnderTest kernel(histogram, "count");
  EXPECT_THAT(kernel.refusal({step(16384)}), HasSubstr("bytes of LDS"));
  EXPECT_THAT(kernel.refusal({step(0)}), HasSubstr("1 or more"));
}

}  // namespace
}  // namespace geak::clang_tool::transforms::testing
