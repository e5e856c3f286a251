#include <gmock/gmock.h>

#include "harness.h"

namespace geak::clang_tool::transforms::testing {
namespace {
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

RecipeStep coarsen(const std::array<unsigned, 3>& factors, const char* order) {
  return {"coarsen", {{"factors", factors}, {"order", order}}};
}

TEST(Coarsen, DividesTheGridWhereNothingStopsExtraItems) {
  KernelUnderTest kernel(
      "__global__ void scale(float* a) {\n"
      "  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n  a[i] *= 2;\n}",
      "scale", {launch({8, 1, 1}, {64, 1, 1}, {4096})});
  const Variant variant = kernel.variant({coarsen({4, 1, 1}, "strided")});
  EXPECT_EQ(variant.launch.axes[0].grid, support::GridRule::divide);
  EXPECT_EQ(variant.launch.axes[0].grid_value, 4U);
  EXPECT_THAT(variant.text, HasSubstr("const float geak_value3 = a[i_item3] * (2);"));
  EXPECT_TRUE(variant.guard.empty());
  EXPECT_THAT(kernel.refusal({coarsen({16, 1, 1}, "strided")}), HasSubstr("do not divide evenly"));
}

TEST(Coarsen, CoversTheItemsWhereAnEarlyReturnStopsExtraOnes) {
  KernelUnderTest kernel(
      "__global__ void step(const float* in, float* out, uint2 dims) {\n"
      "  const int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  const int y = blockIdx.y * blockDim.y + threadIdx.y;\n"
      "  const int height = dims.y;\n"
      "  if (x >= (int)dims.x || y >= height) return;\n"
      "  const float v = in[y * dims.x + x];\n  out[y * dims.x + x] = v + 1;\n}",
      "step", {launch({3, 5, 1}, {16, 16, 1})});
  const Variant variant = kernel.variant({coarsen({1, 4, 1}, "consecutive")});
  EXPECT_EQ(variant.launch.axes[1].grid, support::GridRule::cover);
  EXPECT_THAT(variant.guard,
              HasSubstr("geak_grid.y * geak_block.y >= (long long)(((int)((int)dims.y)))"));
  // Loads of all items come before the store of any; the slow way does one item after another.
  EXPECT_LT(variant.text.find("v_item3 ="), variant.text.find("= geak_value0;"));
  EXPECT_THAT(variant.text, HasSubstr("_item(in, out, dims, "));
}

TEST(Coarsen, JamsLoopsThatAllItemsRunAlike) {
  KernelUnderTest kernel(
      "__global__ void nearest(const float* a, const float* b, float* out, int n, int m) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n) return;\n"
      "  a += i;\n  float best = 1e9f;\n"
      "  for (int k = 0; k < m; ++k) { const float d = a[0] - b[k]; best = fminf(best, d * d); }\n"
      "  out[i] = best;\n}",
      "nearest", {launch({4, 1, 1}, {64, 1, 1}, {4096, 8192, 16384, 200, 50})});
  const std::string text = kernel.text({coarsen({2, 1, 1}, "strided")});
  EXPECT_THAT(text, HasSubstr("auto a_item1 = a;"));
  // One loop in the fast form, one in the function for single items.
  std::size_t loops = 0;
  for (std::size_t at = 0; (at = text.find("for (int k", at)) != std::string::npos; ++at) ++loops;
  EXPECT_EQ(loops, 2U);
}

TEST(Coarsen, CallsAFunctionWhereReturnsStandAnywhere) {
  KernelUnderTest kernel(
      "__global__ void find(const int* a, int* out, int n) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n) return;\n"
      "  for (int k = 0; k < n; ++k) if (a[k] == i) { out[i] = k; return; }\n  out[i] = -1;\n}",
      "find", {launch({4, 1, 1}, {64, 1, 1}, {4096, 8192, 200})});
  const std::string text = kernel.text({coarsen({2, 1, 1}, "consecutive")});
  EXPECT_THAT(text, HasSubstr("static __device__ __forceinline__ void find__geak_"));
  EXPECT_THAT(text, Not(HasSubstr("k_item0")));
}

TEST(Coarsen, RefusesKernelsThatWorkTogether) {
  const std::vector<SeenLaunch> seen = {launch({8, 1, 1}, {64, 1, 1}, {4096})};
  const auto refusal = [&](const std::string& body, const std::string& before = "") {
    return KernelUnderTest(before + "__global__ void k(float* a) {\n" + body + "\n}", "k", seen)
        .refusal({coarsen({2, 1, 1}, "strided")});
  };
  EXPECT_THAT(refusal("__shared__ float s[64]; s[threadIdx.x] = a[blockIdx.x * blockDim.x + "
                      "threadIdx.x]; a[blockIdx.x * blockDim.x + threadIdx.x] = s[threadIdx.x];"),
              HasSubstr("LDS"));
  EXPECT_THAT(refusal("a[blockIdx.x * blockDim.x + threadIdx.x] = 1; __syncthreads();"),
              HasSubstr("barriers"));
  EXPECT_THAT(refusal("const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                      "a[i] = __shfl(a[i], 0);"),
              HasSubstr("wave operations"));
  EXPECT_THAT(refusal("a[threadIdx.x] = 1;"), HasSubstr("in other ways"));
  EXPECT_THAT(refusal("for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < 999;\n"
                      "     i += gridDim.x * blockDim.x) a[i] = 1;"),
              HasSubstr("in other ways"));
  EXPECT_THAT(refusal("set(a);", "__device__ void set(float* a) { a[threadIdx.x] = 1; }\n"),
              HasSubstr("reads threadIdx"));
  EXPECT_THAT(refusal("set(a);", "__device__ void set(float* a) { a[hipThreadIdx_x] = 1; }\n"),
              HasSubstr("reads threadIdx"));
  EXPECT_THAT(refusal("a[blockIdx.x * blockDim.x + threadIdx.x] = hipThreadIdx_x;"),
              HasSubstr("in other ways"));
  EXPECT_THAT(refusal("a[blockIdx.x * blockDim.x + threadIdx.x] = __ockl_activelane_u32();",
                      "extern \"C\" __device__ __attribute__((const)) unsigned "
                      "__ockl_activelane_u32();\n"),
              HasSubstr("wave operations"));
  EXPECT_THAT(refusal("a[0] = 1;"), HasSubstr("does not use its place"));
}

// Each application writes the item's work as a function, of a name of its own.
TEST(Coarsen, CanBeAppliedToWhatItMade) {
  KernelUnderTest kernel(
      "__global__ void k(float* a, int n) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i % 7 == n) return;\n"
      "  a[i] += 2 * i;\n}",
      "k", {launch({4, 1, 1}, {64, 1, 1}, {4096, 3})});
  const Variant variant =
      kernel.variant({coarsen({2, 1, 1}, "consecutive"), coarsen({2, 1, 1}, "strided")});
  EXPECT_THAT(variant.text, HasSubstr("_item2("));
  kernel.run_alike(variant, {{launch({4, 1, 1}, {64, 1, 1}), "buffer<float>(0, 256, -3, 20), 3"}});
}

RecipeStep repeat(unsigned factor) {
  return {"coarsen", {{"factors", {factor, 1, 1}}, {"order", "strided"}, {"beyond", "repeat"}}};
}

TEST(Coarsen, DoesTheLastItemAgainInPlaceOfThoseBeyond) {
  KernelUnderTest kernel(
      "__global__ void nearest(const float* sites, const float* at, float* out, int n, int count) "
      "{\n"
      "  const int me = blockIdx.x * blockDim.x + threadIdx.x;\n  if (me >= count) return;\n"
      "  sites += size_t(blockIdx.y) * n;\n  at += me;\n  float best = 1e30f;\n"
      "  for (int k = 0; k < n; ++k) best = fminf(best, fabsf(sites[k] - at[0]));\n"
      "  out[me] = best;\n}",
      "nearest", {launch({3, 1, 1}, {64, 1, 1}, {4096, 8192, 16384, 100, 130})});
  const Variant variant = kernel.variant({repeat(2)});
  EXPECT_THAT(variant.text, HasSubstr("item_x1_raw < (unsigned)(count) ? item_x1_raw"));
  EXPECT_THAT(variant.text, Not(HasSubstr("__forceinline__")));
  // Moved by the same for all items, the pointer is one for all.
  EXPECT_THAT(variant.text, Not(HasSubstr("sites_item0")));
  EXPECT_THAT(variant.guard, HasSubstr("geak_swap::apart(at, out)"));
  // One form without returns of single items leaves room for tiles.
  const std::string text = kernel.text({repeat(2), {"stage_tiles", {{"tile", 256}}}});
  EXPECT_THAT(text, HasSubstr("best_item1 = fminf(best_item1, fabsf(geak_tile0_0[geak_u]"));
}

TEST(Coarsen, RepeatsNoItemThatReadsWhatItStores) {
  const auto refusal = [&](const std::string& body) {
    return KernelUnderTest(
               "__global__ void k(float* a, const float* b, int n) {\n"
               "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n" +
                   body + "\n}",
               "k", {launch({4, 1, 1}, {64, 1, 1}, {4096, 8192, 200})})
        .refusal({repeat(2)});
  };
  EXPECT_THAT(refusal("if (i >= n) return;\n  a[i] *= 2;"), HasSubstr("read what it stores"));
  EXPECT_THAT(refusal("if (i >= n) return;\n  a[i] = a[i] + b[i];"),
              HasSubstr("read what it stores"));
  EXPECT_THAT(refusal("if (i >= n) return;\n  atomicAdd(a, b[i]);"), HasSubstr("is not plain"));
  EXPECT_THAT(refusal("a[i] = b[i];"), HasSubstr("no early return"));
  EXPECT_THAT(refusal("if (i >= n) return;\n  if (b[i] < 0) return;\n  a[i] = b[i];"),
              HasSubstr("single items may return"));
  EXPECT_THAT(refusal("if (i >= n || b[i] < 0) return;\n  a[i] = b[i];"),
              HasSubstr("single items may return"));
  EXPECT_THAT(refusal("if (i >= n) return;\n  for (int k = 0; k < 9; ++k) if (b[k] < i) return;\n"
                      "  a[i] = b[i];"),
              HasSubstr("single items may return"));
}

const std::string gather =
    "__global__ void take(const float* table, const int* index, float* out, int rows, int n) {\n"
    "  const int column = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  const int row = blockIdx.y;\n  if (row >= rows || column >= n) return;\n"
    "  const int from = index[column];\n  out[row * n + column] = table[row * n + from];\n}";

TEST(Coarsen, TakesSeveralWorkgroupsWhoseNumberIsTheItem) {
  KernelUnderTest kernel(gather, "take",
                         {launch({2, 5, 1}, {64, 1, 1}, {4096, 8192, 12288, 5, 100})});
  const Variant variant = kernel.variant({coarsen({1, 4, 1}, "consecutive")});
  EXPECT_EQ(variant.launch.axes[1].grid, support::GridRule::cover);
  EXPECT_THAT(variant.text, HasSubstr("const unsigned item_y3 = (blockIdx.y * 4u + 3u);"));
  EXPECT_THAT(variant.text, HasSubstr("row_item3 = ((int)item_y3);"));
  EXPECT_THAT(variant.text, HasSubstr("const int column = blockIdx.x"));  // one for all
  EXPECT_THAT(variant.guard, HasSubstr("(long long)geak_grid.y >= (long long)(rows)"));
  const Variant both = kernel.variant({coarsen({2, 2, 1}, "strided")});
  EXPECT_THAT(both.text, HasSubstr("out[row_item3 * n + column_item3]"));
}

TEST(Coarsen, RefusesWorkgroupsOfMoreThanOneMeaning) {
  const auto refusal = [](const std::string& use) {
    return KernelUnderTest("__global__ void k(float* a) {\n  a[blockIdx.y] = 0;\n" + use + "\n}",
                           "k", {launch({1, 8, 1}, {64, 4, 1}, {4096})})
        .refusal({coarsen({1, 4, 1}, "consecutive")});
  };
  EXPECT_EQ(refusal(""), "");
  EXPECT_THAT(refusal("a[threadIdx.y] = 1;"), HasSubstr("in other ways"));
  EXPECT_THAT(refusal("a[gridDim.y] = 1;"), HasSubstr("in other ways"));
  EXPECT_THAT(refusal("__syncthreads();"), HasSubstr("barriers"));
}

TEST(Coarsen, IsOfferedWithLargeWorkgroupsForLongRows) {
  KernelUnderTest kernel(gather, "take",
                         {launch({16, 8, 1}, {256, 1, 1}, {4096, 8192, 12288, 8, 4096})});
  bool offered = false;
  for (const TransformOption& option : kernel.session().options())
    if (option.step.parameters.dump().find("[16,1,1]") != std::string::npos &&
        option.step.transform == sequence_step) {
      offered = true;
      EXPECT_THAT(kernel.text({option.step}), HasSubstr("__launch_bounds__(1024)"));
    }
  EXPECT_TRUE(offered);
}

// An assignment of a class that copies its bytes stores as a number's does.
TEST(Coarsen, RepeatsItemsThatStoreHalves) {
  const RecipeStep twice{"coarsen",
                         {{"factors", {2, 1, 1}}, {"order", "strided"}, {"beyond", "repeat"}}};
  const auto kernel = [](const std::string& value) {
    return KernelUnderTest(
        "#include <hip/hip_fp16.h>\n"
        "__global__ void k(__half* out, const __half* in, int n) {\n"
        "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  if (i >= n) return;\n  out[i] = __float2half(" +
            value + ");\n}",
        "k", {launch({4, 1, 1}, {64, 1, 1})});
  };
  KernelUnderTest scaled = kernel("2 * __half2float(in[i])");
  scaled.run_alike(scaled.variant({twice}),
                   {{launch({4, 1, 1}, {64, 1, 1}, {4096, 8192, 250}),
                     "buffer<__half>(0, 256, -1, 1), buffer<__half>(1, 256, -1, 1), 250"}});
  EXPECT_THAT(kernel("__half2float(in[i]) + __half2float(out[i])").refusal({twice}),
              HasSubstr("an item may read what it stores"));
}

}  // namespace
}  // namespace geak::clang_tool::transforms::testing
