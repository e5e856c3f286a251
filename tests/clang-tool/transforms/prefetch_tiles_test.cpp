#include <gmock/gmock.h>

#include "harness.h"

namespace geak::clang_tool::transforms::testing {
namespace {
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const RecipeStep step{"prefetch_tiles", nlohmann::json::object()};

const std::string product =
    "__global__ void k(const float* a, const float* b, float* c, int n) {\n"
    "  __shared__ float x[16][16], y[16][16];\n"
    "  const int tx = threadIdx.x, ty = threadIdx.y;\n"
    "  const int row = blockIdx.y * 16 + ty, column = blockIdx.x * 16 + tx;\n  float sum = 0;\n"
    "  for (int tile = 0; tile < (n + 15) / 16; ++tile) {\n"
    "    const int i = tile * 16 + tx;\n"
    "    x[ty][tx] = row < n && i < n ? a[row * n + i] : 0.0f;\n"
    "    if (tile * 16 + ty < n && column < n) {\n"
    "      y[ty][tx] = b[(tile * 16 + ty) * n + column];\n"
    "    } else {\n      y[ty][tx] = 0;\n    }\n    __syncthreads();\n"
    "    for (int k = 0; k < 16; ++k) sum += x[ty][k] * y[k][tx];\n    __syncthreads();\n  }\n"
    "  if (row < n && column < n) c[row * n + column] = sum;\n}\n";

TEST(PrefetchTiles, LoadsTheNextTileBeforeItWorksOnThisOne) {
  KernelUnderTest kernel(product, "k");
  const Variant variant = kernel.variant({step});
  EXPECT_THAT(
      variant.text,
      AllOf(HasSubstr("float geak_tile0_0 = {};"), HasSubstr("auto geak_next0_tile = tile;"),
            HasSubstr("const bool geak_more0 = geak_next0_tile < (n + 15) / 16;"),
            HasSubstr("geak_tile0_1 = b[(geak_next0_tile * 16 + ty) * n + column];"),
            HasSubstr("y[ty][tx] = geak_tile0_1;")));
  EXPECT_EQ(variant.guard, "") << "nothing is stored in the loop";
  kernel.run_alike(
      variant,
      {{launch({2, 2, 1}, {16, 16, 1}),
        "buffer<float>(0, 961, -9, 9), buffer<float>(1, 961, -9, 9), buffer<float>(2, 961, 0, 1), "
        "31"},
       {launch({1, 1, 1}, {16, 16, 1}),
        "buffer<float>(0, 4, -9, 9), buffer<float>(1, 4, -9, 9), buffer<float>(2, 4, 0, 1), 2"}});
}

// Another step may have put pointers to bytes in the place of elements.
TEST(PrefetchTiles, FollowsPointersThatWereCast) {
  KernelUnderTest kernel(product, "k");
  const Variant variant = kernel.variant({{"narrow_index", {{"allocations", true}}}, step});
  EXPECT_THAT(variant.text, AllOf(HasSubstr("float geak_tile0_0 = {};"),
                                  HasSubstr("(const char*)(a) + (unsigned)(row * n + i)")));
  kernel.run_alike(
      variant,
      {{launch({2, 2, 1}, {16, 16, 1}),
        "buffer<float>(0, 961, -9, 9), buffer<float>(1, 961, -9, 9), buffer<float>(2, 961, 0, 1), "
        "31"}});
  const std::string stores =
      "__global__ void k(const int* a, int* c, int n) {\n  __shared__ int x[64];\n"
      "  const int t = threadIdx.x;\n  int sum = 0;\n"
      "  int* const far = (int*)((char*)c + 256);\n"
      "  for (int i = 0; i < n; i += 64) {\n    __syncthreads();\n"
      "    x[t] = ((const int*)((const char*)a + i * 4))[t];\n    __syncthreads();\n"
      "    for (int j = 0; j < 64; ++j) sum += x[j] ^ j;\n    far[t] = sum;\n  }\n}\n";
  KernelUnderTest bytes(stores, "k");
  const Variant cast = bytes.variant({step});
  EXPECT_THAT(cast.guard, HasSubstr("apart(a, c)"));
  bytes.run_alike(cast, {{launch({1, 1, 1}, {64, 1, 1}),
                          "buffer<int>(0, 192, -9, 9), buffer<int>(1, 128, 0, 1), 192"}});
  // Where an address comes from memory, nobody knows what lies there.
  std::string loaded = stores;
  const std::string base = "(const char*)a + i * 4";
  loaded.replace(loaded.find(base), base.size(), "*(const int* const*)a + i");
  EXPECT_THAT(KernelUnderTest(loaded, "k").refusal({step}), Not(""));
}

TEST(PrefetchTiles, TakesHeadsOfSeveralVariablesAndBarriersThatComeFirst) {
  KernelUnderTest heads(
      "__global__ void k(const int* a, const int* b, int* c, int n) {\n"
      "  __shared__ int x[64], y[64];\n  const int t = threadIdx.x;\n  int sum = 0, from, at = 5;\n"
      "  for (from = blockIdx.x * 64, at = 0; from < n; from += 2 * 64, ++at) {\n"
      "    x[t] = a[from + t];\n    y[(t + at) % 64] = b[from + 63 - t] + at;\n"
      "    __syncthreads();\n    for (int i = 0; i < 64; ++i) sum += x[i] * y[63 - i] + from;\n"
      "    c[t + 64] = sum;\n    __syncthreads();\n  }\n"
      "  if (blockIdx.x == 0) c[t] = sum + from + at;\n}\n",
      "k");
  const Variant variant = heads.variant({step});
  EXPECT_THAT(variant.guard, AllOf(HasSubstr("apart(a, c)"), HasSubstr("apart(b, c)")));
  EXPECT_THAT(variant.text, HasSubstr("geak_next0_from += 2 * 64, ++geak_next0_at;"));
  for (const char* n : {"320", "0"})
    heads.run_alike(variant, {{launch({1, 1, 1}, {64, 1, 1}),
                               "buffer<int>(0, 384, -9, 9), buffer<int>(1, 384, -9, 9), "
                               "buffer<int>(2, 128, 0, 1), " +
                                   std::string(n)}});
  KernelUnderTest first(
      "__global__ void k(int* a, int* c, int n) {\n  __shared__ int x[64];\n"
      "  const int t = threadIdx.x;\n  a[63 - t] += t;\n  int sum = 0;\n"
      "  for (int i = 0; i < n; i += 64) {\n    __syncthreads();\n    x[t] = a[i + t];\n"
      "    __syncthreads();\n    for (int j = 0; j < 64; ++j) sum += x[j] ^ j;\n  }\n"
      "  c[t] = sum;\n}\n",
      "k");
  const Variant ordered = first.variant({step});
  EXPECT_THAT(ordered.text, HasSubstr("{\n__syncthreads();\ngeak_tile0_0 = a[i + t];"));
  first.run_alike(ordered, {{launch({1, 1, 1}, {64, 1, 1}),
                             "buffer<int>(0, 192, -9, 9), buffer<int>(1, 64, 0, 1), 192"}});
}

TEST(PrefetchTiles, TakesVectors) {
  KernelUnderTest kernel(
      "__global__ void k(const float4* at, float4* pull, int n) {\n"
      "  extern __shared__ float4 tile[];\n"
      "  const int me = blockIdx.x * blockDim.x + threadIdx.x;\n  const float4 mine = at[me];\n"
      "  float x = 0, y = 0;\n  for (int j = 0; j < n; j += blockDim.x) {\n"
      "    tile[threadIdx.x] = at[j + threadIdx.x];\n    __syncthreads();\n"
      "    for (int i = 0; i < blockDim.x; ++i) {\n      x += (tile[i].x - mine.x) * tile[i].w;\n"
      "      y += (tile[i].y - mine.y) * tile[i].w;\n    }\n    __syncthreads();\n  }\n"
      "  pull[me].x = x;\n  pull[me].y = y;\n}\n",
      "k");
  const Variant variant = kernel.variant({step});
  EXPECT_THAT(variant.text, HasSubstr("geak_tile0_0 = at[geak_next0_j + threadIdx.x];"));
  SeenLaunch seen = launch({3, 1, 1}, {64, 1, 1});
  seen.launch.dynamic_lds = 1024;
  kernel.run_alike(variant, {{seen,
                              "(float4*)buffer<float>(0, 768, -9, 9), (float4*)buffer<float>(1, "
                              "768, 0, 1), 192"}});
}

TEST(PrefetchTiles, TakesLdsThatIsDeclaredInTheLoopAndCallsOfValues) {
  KernelUnderTest kernel(
      "__global__ void k(const int* a, int* c, int n) {\n  const int t = threadIdx.x;\n"
      "  int sum = 0;\n  for (int m = 0; m <= (n - 1) / 64; m++) {\n    __shared__ int x[64];\n"
      "    const int all = min(64, n - 64 * m);\n    if (t < all) {\n      int at = t + 64 * m;\n"
      "      x[t] = a[at];\n    }\n    __syncthreads();\n"
      "    for (int e = 0; e < all; ++e) sum = sum * 3 + x[e];\n    __syncthreads();\n  }\n"
      "  c[t] = sum;\n}\n",
      "k");
  const Variant variant = kernel.variant({step});
  EXPECT_THAT(variant.text, HasSubstr("= min(64, n - 64 * geak_next0_m);"));
  kernel.run_alike(variant, {{launch({1, 1, 1}, {64, 1, 1}),
                              "buffer<int>(0, 150, -9, 9), buffer<int>(1, 64, 0, 1), 150"}});
}

std::string refusal(const std::string& filling, const std::string& working,
                    const std::string& head = "for (int i = 0; i < n; i += 64)") {
  return KernelUnderTest(
             "__device__ int table[64];\n#define NEXT(i) ((i) + 64)\n"
             "__global__ void k(int* a, int* c, int n) {\n  __shared__ int x[64];\n"
             "  const int t = threadIdx.x;\n  int sum = 0;\n  " +
                 head + " {\n    " + filling + "\n    __syncthreads();\n    " + working +
                 "\n    __syncthreads();\n  }\n  c[t] = sum;\n}\n",
             "k")
      .refusal({step});
}

const std::string fill = "x[t] = a[i + t];";
const std::string work = "for (int j = 0; j < 64; ++j) sum += x[j];";

TEST(PrefetchTiles, TakesWhatTheRefusalsLack) { EXPECT_EQ(refusal(fill, work), ""); }

TEST(PrefetchTiles, RefusesWhatRoundsDecideAboutLaterOnes) {
  EXPECT_THAT(refusal("x[t] = a[i + t + sum];", work), HasSubstr("more than to fill LDS"));
  EXPECT_THAT(refusal("x[t] = a[x[t] & 63];", work), HasSubstr("more than to fill LDS"));
  EXPECT_THAT(refusal("x[t] = table[t];", work), HasSubstr("more than to fill LDS"));
  EXPECT_THAT(refusal("x[t] = atomicAdd(&a[i], 1);", work), HasSubstr("more than to fill LDS"));
  EXPECT_THAT(refusal("if (sum < 9) x[t] = a[i + t];", work), HasSubstr("more than to fill LDS"));
  EXPECT_THAT(refusal("int at = i; at += t; x[t] = a[at];", work),
              HasSubstr("more than to fill LDS"));
  EXPECT_THAT(refusal(fill + " sum += a[i];", work), HasSubstr("more than to fill LDS"));
  EXPECT_THAT(refusal(fill, work + " n -= x[3];"), HasSubstr("depends on what its rounds do"));
  EXPECT_THAT(refusal(fill, work + " i += x[3] & 1;"), HasSubstr("changed in its body"));
  EXPECT_THAT(refusal(fill, work, "for (int i = 0; i < n && x[0] < 9; i += 64)"),
              HasSubstr("depends on what its rounds do"));
  EXPECT_THAT(refusal(fill, work, "for (int i = 0; i < n; i += 64 + sum)"),
              HasSubstr("more than to step"));
}

TEST(PrefetchTiles, RefusesStoresThatMayReachTheNextTile) {
  EXPECT_THAT(refusal(fill, work + " a[i + t] = sum;"), HasSubstr("stores to what it reads"));
  EXPECT_THAT(refusal(fill, work + " int* p = a; if (t > 3) p = c; p[t] = sum;"),
              HasSubstr("not plain"));
  EXPECT_THAT(refusal(fill, work + " atomicAdd(&c[0], sum);"), HasSubstr("not plain"));
  EXPECT_THAT(refusal(fill, work + " __threadfence();"), HasSubstr("fences"));
}

TEST(PrefetchTiles, RefusesOtherLoops) {
  EXPECT_THAT(refusal(fill, "if (x[0] == 7) break;"), HasSubstr("left from within"));
  EXPECT_THAT(refusal("x[t] = i;", work), HasSubstr("does not come out of memory"));
  EXPECT_THAT(refusal(fill, ""), HasSubstr("no rounds fill LDS"));
  EXPECT_THAT(refusal("x[t] = a[NEXT(i) + t];", work), "");
  EXPECT_THAT(refusal("", work), HasSubstr("more than to fill LDS"));
}

}  // namespace
}  // namespace geak::clang_tool::transforms::testing
