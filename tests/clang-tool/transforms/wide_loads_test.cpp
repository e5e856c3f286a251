#include <gmock/gmock.h>

#include "harness.h"

namespace geak::clang_tool::transforms::testing {
namespace {
using ::testing::HasSubstr;

const RecipeStep step{"wide_loads", {{"bytes", 16}}};

TEST(WideLoads, ReadsBytesSixteenAtOnce) {
  KernelUnderTest kernel(
      "__global__ void count(const unsigned char* data, unsigned* out, int n) {\n"
      "  __shared__ unsigned bins[256];\n  const size_t first = size_t(threadIdx.x) * n;\n"
      "  for (int i = 0; i < n; ++i) atomicAdd(&bins[data[first + i]], 1u);\n"
      "  out[threadIdx.x] = bins[threadIdx.x];\n}",
      "count");
  const std::string text = kernel.text({step});
  EXPECT_THAT(text, HasSubstr("unsigned char geak_wide0_0[16];"));
  EXPECT_THAT(text, HasSubstr("% 16 == 0"));
  EXPECT_THAT(text, HasSubstr("atomicAdd(&bins[data[first + i]], 1u)"));  // what is left over
}

TEST(WideLoads, ReadsFloatsFourAtOnce) {
  KernelUnderTest kernel(
      "__global__ void dot(const float* a, const float* b, float* out, int n) {\n"
      "  const float* mine = a + threadIdx.x * n;\n  float sum = 0;\n"
      "  for (int i = 0; i < n; ++i) sum += mine[i] * b[i];\n  out[threadIdx.x] = sum;\n}",
      "dot");
  const std::string text = kernel.text({step});
  EXPECT_THAT(text, HasSubstr("float geak_wide0_1[4];"));
}

TEST(WideLoads, ReadsPastStoresThroughOtherRestrictPointers) {
  const std::string body =
      " out, const float* __restrict__ in, int n) {\n"
      "  for (int i = 0; i < n; ++i) out[i] = in[threadIdx.x + i] + 1;\n}";
  KernelUnderTest kernel("__global__ void k(float* __restrict__" + body, "k");
  EXPECT_THAT(kernel.text({step}), HasSubstr("(unsigned)("));  // the index must not wrap
}

TEST(WideLoads, RefusesReadsAheadOfTheOriginal) {
  const auto refusal = [](const std::string& loop) {
    return KernelUnderTest("__global__ void k(float* a, float* b, int n) {\n  float s = 0;\n" +
                               loop + "\n  b[threadIdx.x] = s;\n}",
                           "k")
        .refusal({step});
  };
  const auto refuses = HasSubstr("no loop reads neighbouring elements");
  EXPECT_THAT(refusal("for (int i = 0; i < n; ++i) b[i] = a[i];"), refuses);  // may overlap
  EXPECT_THAT(refusal("for (int i = 0; i < n; ++i) { s += a[i]; if (s > 9) break; }"), refuses);
  EXPECT_THAT(refusal("for (int i = 0; i < n; ++i) if (i > 3) s += a[i];"), refuses);
  EXPECT_THAT(refusal("for (int i = 0; i < n; ++i) { if (i == 3) continue; s += a[i]; }"), refuses);
  EXPECT_THAT(refusal("for (int i = 0; i < n; i += 2) s += a[i];"), refuses);
  EXPECT_THAT(refusal("for (int i = 0; i < n; ++i) s += a[i * n];"), refuses);
  EXPECT_THAT(refusal("for (int i = 0; i < n; ++i) { s += a[i]; --n; }"), refuses);
}

}  // namespace
}  // namespace geak::clang_tool::transforms::testing
