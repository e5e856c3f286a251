#include <gmock/gmock.h>

#include "clang-tool/swap_prelude.h"
#include "harness.h"

namespace geak::clang_tool::transforms::testing {
namespace {
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

RecipeStep by_allocations(bool allocations) {
  return {"narrow_index", {{"allocations", allocations}}};
}

const std::string picture =
    "__global__ void blur(float* out, const float* in, int width, int height) {\n"
    "  const int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  const int y = blockIdx.y * blockDim.y + threadIdx.y;\n"
    "  if (x >= width || y >= height) return;\n"
    "  float sum = 2 * in[y * width + x];\n  if (x > 0) sum += in[y * width + x - 1];\n"
    "  if (x + 1 < width) sum += in[y * width + x + 1];\n  out[y * width + x] = sum / 4;\n}";

SampleRun picture_run(const char* sizes, std::int64_t width, std::int64_t height) {
  return {launch({3, 5, 1}, {16, 4, 1}, {{}, {}, width, height}),
          "buffer<float>(0, 1000, 0, 1), buffer<float>(1, 1000, 0, 1), " + std::string(sizes)};
}

TEST(NarrowIndex, OffsetsFitByWhatTheHostKnowsOfTheLaunch) {
  KernelUnderTest kernel(picture, "blur");
  const Variant variant = kernel.variant({by_allocations(false)});
  EXPECT_THAT(variant.text, HasSubstr("(const char*)(in) + (unsigned)(y * width + x) * "));
  EXPECT_THAT(variant.text, HasSubstr("[-(1)]"));
  EXPECT_THAT(variant.text, HasSubstr("[+(1)]"));
  EXPECT_THAT(variant.text, Not(HasSubstr("in[y")));
  EXPECT_THAT(variant.guard, AllOf(HasSubstr("(double)(width)"), HasSubstr("* 4.0 <= 4294967296.0"),
                                   HasSubstr("(width) >= 0"), HasSubstr("(double)geak_grid.y")));
  kernel.run_alike(variant, {picture_run("40, 20", 40, 20), picture_run("48, 19", 48, 19)});
}

TEST(NarrowIndex, OffsetsFitInSmallAllocations) {
  KernelUnderTest kernel(picture, "blur");
  const Variant variant = kernel.variant({by_allocations(true)});
  EXPECT_THAT(variant.text, HasSubstr("(const char*)(in) + (unsigned)(y * width + x - 1) * "));
  EXPECT_THAT(variant.text, Not(HasSubstr("in[y")));
  kernel.run_alike(variant, {picture_run("40, 20", 40, 20)});
  // The host lets it run where both begin allocations of less than 4 GiB.
  kernel.run(variant, swap_prelude() + std::string(R"(
    static bool runs(float* out, const float* in) { return )") +
                          variant.guard + R"(; }
    int main() {
      float *a = on_device(std::vector<float>(100)), *b = on_device(std::vector<float>(100));
      if (!runs(a, b)) return 11;
      if (runs(a + 1, b)) return 12;
      if (runs(a, b + 99)) return 13;
      if (runs(a, nullptr)) return 14;
      float local = 0;
      if (runs(&local, b)) return 15;
      return 0;
    })");
}

TEST(NarrowIndex, SizesOf64BitsAreWorkedOutIn32) {
  const std::string rows =
      "__global__ void take(float* out, const float* in, const int* from, size_t width,"
      " long count) {\n"
      "  for (long row = blockIdx.x; row < count; row += gridDim.x) {\n"
      "    const size_t begin = size_t(row) * width;\n"
      "    const auto far = size_t(blockIdx.y) * width;\n"
      "    const float* source = in + from[row] * width;\n"
      "    for (size_t k = threadIdx.x; k < width; k += blockDim.x)\n"
      "      out[begin + k] = source[k] + far;\n  }\n}";
  KernelUnderTest kernel(rows, "take");
  const Variant variant = kernel.variant({by_allocations(false)});
  EXPECT_THAT(variant.text, HasSubstr("begin = (unsigned long)(unsigned)(size_t(row) * width);"));
  EXPECT_THAT(variant.text, HasSubstr("auto far = (unsigned long)(unsigned)("));
  EXPECT_THAT(variant.text, HasSubstr("(const char*)(source) + (unsigned)(k) * "));
  EXPECT_THAT(variant.text, HasSubstr("(const char*)(out) + (unsigned)(begin + k) * "));
  EXPECT_THAT(variant.text, HasSubstr("from) + (unsigned)(row) * "));
  EXPECT_THAT(variant.guard, HasSubstr("<= 4294967295.0"));
  kernel.run_alike(variant, {{launch({3, 2, 1}, {64, 1, 1}, {{}, {}, {}, 70, 7}),
                              "buffer<float>(0, 490, 0, 1), buffer<float>(1, 490, 0, 1), "
                              "buffer<int>(2, 7, 0, 7), 70, 7"}});
}

TEST(NarrowIndex, KnowsTheStepOfALoopOverTheGrid) {
  for (const std::string step : {"blockDim.x * gridDim.x", "gridDim.x * blockDim.x"}) {
    KernelUnderTest kernel(
        "__global__ void scale(float* a, int n) {\n"
        "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += " +
            step + ") a[i] *= 2;\n}",
        "scale");
    const Variant variant = kernel.variant({by_allocations(false)});
    // A step that may be any number of 32 bits would be a condition that never holds.
    EXPECT_THAT(variant.guard, Not(HasSubstr("4294967295.0")));
    EXPECT_THAT(variant.guard, HasSubstr("(double)(n) + ((double)geak_"));
    kernel.run_alike(variant, {{launch({2, 1, 1}, {64, 1, 1}, {4096, 300}),
                                "buffer<float>(0, 300, -9, 9), 300"}});
  }
}

TEST(NarrowIndex, ReachesMembersStructsAndAtomicTargets) {
  const std::string points =
      "struct Point { float x; int bin; };\n"
      "template <typename T>\n"
      "__global__ void gather(T* bins, Point* points, const float4* in, const unsigned char* which,"
      " int n) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n) return;\n"
      "  const float4 value = in[i];\n  points[i].x += value.y * value.w;\n"
      "  Point copy = points[i];\n  copy.bin++;\n  points[i] = copy;\n"
      "  atomicAdd(&bins[which[i]], T(copy.bin));\n}\n"
      "void start(int* b, Point* p, float4* f, unsigned char* w) {"
      " gather<int><<<1, 64>>>(b, p, f, w, 64); }";
  for (const bool allocations : {false, true}) {
    KernelUnderTest kernel(points, "gather", {}, {"int"});
    const Variant variant = kernel.variant({by_allocations(allocations)});
    EXPECT_THAT(variant.text, HasSubstr("const float4 value = ((decltype("));
    EXPECT_THAT(variant.text, HasSubstr("(const char*)(which) + (unsigned)(i)"));
    EXPECT_THAT(variant.text, HasSubstr(")[0].x += value.y"));
    EXPECT_THAT(variant.text, HasSubstr("atomicAdd(&((decltype((bins) + 0))"));
    EXPECT_THAT(variant.text, Not(HasSubstr("points[i]")));
  }
}

TEST(NarrowIndex, TakesNoConstantOffWhatMayWrap) {
  const auto text = [](const std::string& statement) {
    return KernelUnderTest("__global__ void k(float* a, unsigned short u) {\n" + statement + "\n}",
                           "k")
        .text({by_allocations(false)});
  };
  EXPECT_THAT(text("a[int(threadIdx.x) - 1] = 0;"), HasSubstr("[-(1)]"));
  EXPECT_THAT(text("a[(long)(u + 1)] = 0;"), HasSubstr("[+(1)]"));
  EXPECT_THAT(text("a[threadIdx.x + 1] = 0;"), HasSubstr("(unsigned)(threadIdx.x + 1)"));
  EXPECT_THAT(text("a[(short)(u + 1)] = 0;"), HasSubstr("(unsigned)((short)(u + 1))"));
  EXPECT_THAT(text("a[(int)(long(u) + 1)] = 0;"), HasSubstr("(unsigned)((int)(long(u) + 1))"));
}

std::string refusal(const std::string& body, bool allocations) {
  return KernelUnderTest(
             "#define AT(i) a[i]\n__device__ float table[64];\n"
             "__device__ void atomic_look(const float*) {}\n"
             "__global__ void k(float* a, const int* b, volatile float* v, int n,"
             " unsigned u, long l) {\n  const int i = threadIdx.x;\n" +
                 body + "\n}",
             "k")
      .refusal({by_allocations(allocations)});
}

// A hash may be anything; what is left of it by a mask or a remainder is less than the table's
// size.
TEST(NarrowIndex, PlacesOfAHashAreLessThanItsTable) {
  const std::string table =
      "__global__ void look(float* out, const float* table, const unsigned* keys, unsigned size,"
      " int places, int n) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n) return;\n"
      "  unsigned hash = keys[i] * 2654435761u;\n  hash ^= hash >> 15;\n"
      "  const unsigned slot = hash & (size - 1);\n"
      "  const unsigned mask = (unsigned)places - 1u;\n"
      "  out[i] = table[slot] + table[hash * 31u % size] + table[hash >> 26] +"
      " table[(int)(hash & mask)];\n}";
  KernelUnderTest kernel(table, "look",
                         {launch({4, 1, 1}, {64, 1, 1}, {4096, 8192, 12288, 64, 32, 250})});
  const Variant variant = kernel.variant({by_allocations(false)});
  for (const char* index : {"slot", "hash * 31u % size", "hash >> 26", "(int)(hash & mask)"})
    EXPECT_THAT(variant.text,
                HasSubstr("(const char*)(table) + (unsigned)(" + std::string(index) + ")"));
  EXPECT_THAT(variant.guard, HasSubstr("((double)(size) - 1.0) + 1.0) * 4.0 <= 4294967296.0"));
  EXPECT_THAT(variant.guard, Not(HasSubstr("4294967295.0")));
  EXPECT_THAT(variant.guard, HasSubstr("(double)(size) >= 1.0")) << "or size - 1 would wrap";
  kernel.run_alike(variant, {{launch({4, 1, 1}, {64, 1, 1}, {{}, {}, {}, 64, 32, 250}),
                              "buffer<float>(0, 250, 0, 1), buffer<float>(1, 64, 0, 1), "
                              "buffer<unsigned>(2, 250, 0, 4e9), 64, 32, 250"}});
  // No place is left of nothing.
  KernelUnderTest empty(table, "look",
                        {launch({4, 1, 1}, {64, 1, 1}, {4096, 8192, 12288, 0, 32, 250})});
  EXPECT_THAT(empty.text({by_allocations(false)}), Not(HasSubstr("(unsigned)(slot)")));
}

TEST(NarrowIndex, RefusesIndicesOfUnknownRange) {
  EXPECT_EQ(refusal("a[i] = 0;", false), "");
  EXPECT_THAT(refusal("a[b[0]] = 0;", true), "");
  const auto negative = HasSubstr("may be negative");
  EXPECT_THAT(refusal("float* p = a; p[i - n] = 0;", false), negative);
  EXPECT_THAT(refusal("int at = i; at -= n; a[at] = 0;", false), negative);
  EXPECT_THAT(refusal("a[l] = 0; l = 1;", false), negative);
  EXPECT_THAT(refusal("a[b[0] & ((int)u - 1)] = 0;", false), negative);
  EXPECT_EQ(refusal("a[b[0] & (n - 1)] = 0;", false), "");
  EXPECT_THAT(refusal("unsigned at = u; at *= 3; a[at] = 0;", false), HasSubstr("any of 32 bits"));
  EXPECT_THAT(refusal("for (int k = i; k > -9; --k) a[k] = 0;", false), negative);
  EXPECT_THAT(refusal("AT(i) = 0;", false), HasSubstr("macro"));
}

TEST(NarrowIndex, RefusesWhatIsNoElementOfAParameter) {
  const auto nothing = HasSubstr("no element of a pointer parameter");
  for (const bool allocations : {false, true}) {
    EXPECT_THAT(refusal("__shared__ float s[64]; s[i] = 0;", allocations), nothing);
    EXPECT_THAT(refusal("float own[4]; own[i & 3] = 0;", allocations), nothing);
    EXPECT_THAT(refusal("table[i] = 0;", allocations), nothing);
    EXPECT_THAT(refusal("v[i] = 0;", allocations), nothing);
    EXPECT_THAT(refusal("float* p = a; p = table; p[i] = 0;", allocations), nothing);
  }
}

TEST(NarrowIndex, RefusesAddressesThatAllocationsDoNotBound) {
  EXPECT_THAT(refusal("float* p = &a[i]; if (i < n) *p = 0;", true), HasSubstr("address"));
  EXPECT_THAT(refusal("atomic_look(&a[i]);", true), HasSubstr("address"));
  EXPECT_THAT(refusal("a = a + 1; a[i] = 0;", true), Not(""));
  EXPECT_THAT(refusal("float* p = a + n; p[i] = 0;", true), HasSubstr("a parameter that stays"));
  EXPECT_THAT(refusal("float& r = a[i]; if (i < n) r = 0;", true), HasSubstr("address"));
}

}  // namespace
}  // namespace geak::clang_tool::transforms::testing
