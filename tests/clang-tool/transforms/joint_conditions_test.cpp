#include <gmock/gmock.h>

#include "harness.h"

namespace geak::clang_tool::transforms::testing {
namespace {
using ::testing::HasSubstr;

const RecipeStep step{"joint_conditions", nlohmann::json::object()};

TEST(JointConditions, LoadsValuesSideBySide) {
  KernelUnderTest kernel(
      "__global__ void k(float* a, int n) {\n  __shared__ float s[128];\n"
      "  const int i = 2 * threadIdx.x, j = i + 1;\n"
      "  s[i] = i < n ? a[i] : 0.0f;\n  s[j] = j < n ? a[j] : 0.0f;\n  __syncthreads();\n"
      "  if (i < n) a[i] = s[127 - i];\n  if (j < n) a[j] = s[127 - j];\n}",
      "k");
  const std::string text = kernel.text({step});
  EXPECT_THAT(text, HasSubstr("if (bool(i < n) & bool(j < n)) {\nconst float geak_value0 = a[i];\n"
                              "const float geak_value1 = a[j];"));
  EXPECT_THAT(text, HasSubstr("a[i] = s[127 - i];"));
}

TEST(JointConditions, KeepsTheOrderOfStores) {
  KernelUnderTest kernel(
      "__global__ void k(float* a, const float* b, int n) {\n  const int i = threadIdx.x;\n"
      "  a[i] = i < n ? b[i] : 0.0f;\n  a[i + 1] = i > 2 ? b[i + 1] : 0.0f;\n}",
      "k");
  EXPECT_THAT(kernel.text({step}), HasSubstr("a[i] = ((float)(b[i]));"));
}

TEST(JointConditions, TakesBranchesOfSeveralStatements) {
  KernelUnderTest kernel(
      "__global__ void k(int* a, int* b, int n, int m) {\n  const int i = threadIdx.x;\n"
      "  if (i < n) { a[i] = i; a[i + n] = 2; }\n  if (i < m) b[i] += 1;\n}",
      "k");
  EXPECT_THAT(kernel.text({step}), HasSubstr("bool(i < n) & bool(i < m)"));
}

TEST(JointConditions, RefusesConditionsThatMayChange) {
  const auto refusal = [](const std::string& body) {
    return KernelUnderTest(
               "__global__ void k(int* a, int n) {\n  int i = threadIdx.x;\n" + body + "\n}", "k")
        .refusal({step});
  };
  const auto refuses = HasSubstr("no neighbouring statements");
  EXPECT_THAT(refusal("if (i < n) i += 1;\nif (i > 3) a[i] = 1;"), refuses);
  EXPECT_THAT(refusal("if (a[i] < n) a[i] = 1;\nif (a[0] > 3) a[i] = 2;"), refuses);
  EXPECT_THAT(refusal("if (i < n) return;\nif (i > 3) a[i] = 2;"), refuses);
  EXPECT_THAT(refusal("if (i < n) a[i] = 1;\n__syncthreads();\nif (i > 3) a[i] = 2;"), refuses);
  EXPECT_THAT(refusal("if (i < n) a[i] = 1;\nif (i < n) a[i + n] = 2;"), refuses);
}

}  // namespace
}  // namespace geak::clang_tool::transforms::testing
