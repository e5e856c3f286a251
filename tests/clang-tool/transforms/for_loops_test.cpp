#include <gmock/gmock.h>

#include "harness.h"

namespace geak::clang_tool::transforms::testing {
namespace {
using ::testing::HasSubstr;

const RecipeStep step{"for_loops", nlohmann::json::object()};

TEST(ForLoops, AWhileOverTheGridIsReadAhead) {
  KernelUnderTest kernel(
      "__global__ void dot(const float* a, const float* b, float* c, int n) {\n"
      "  int tid = threadIdx.x + blockIdx.x * blockDim.x, at = tid;\n  float sum = 0;\n"
      "  while (tid < n) {\n    sum += a[tid] * b[tid];\n    tid += blockDim.x * gridDim.x;\n  }\n"
      "  c[at] = sum;\n}",
      "dot");
  EXPECT_NE(kernel.refusal({step}), "");  // `at` asks for it, too
  KernelUnderTest plain(
      "__global__ void dot(const float* a, const float* b, float* c, int n) {\n"
      "  int tid = threadIdx.x + blockIdx.x * blockDim.x, at = threadIdx.x;\n  float sum = 0;\n"
      "  while (tid < n) {\n    sum += a[tid] * b[tid];\n    tid += blockDim.x * gridDim.x;\n  }\n"
      "  c[blockIdx.x * blockDim.x + at] = sum;\n}",
      "dot");
  EXPECT_THAT(plain.text({step}),
              HasSubstr("for (int tid = (threadIdx.x + blockIdx.x * blockDim.x); tid < n; "
                        "tid += blockDim.x * gridDim.x) {"));
  const RecipeStep batch{"batch_rounds", {{"rounds", 4}}};
  EXPECT_NE(plain.refusal({batch}), "");
  const std::string buffers =
      "buffer<float>(0, 900, -1, 1), buffer<float>(1, 900, -1, 1), buffer<float>(2, 128, 0, 1), ";
  plain.run_alike(plain.variant({step, batch}), {{launch({2, 1, 1}, {64, 1, 1}), buffers + "900"},
                                                 {launch({2, 1, 1}, {64, 1, 1}), buffers + "70"}});
}

TEST(ForLoops, VariablesOfSeveralLoopsAreEachLoopsOwn) {
  KernelUnderTest kernel(
      "__global__ void rows(const float* a, float* out, int n) {\n"
      "  int i = 7, k;\n  float sum = 0;\n"
      "  for (i = 0; i < n; i++) {\n    for (k = i; k < n; k += 2) sum += a[k] * (i + 1);\n  }\n"
      "  for (k = 1; k < 4; ++k) sum -= a[k];\n  out[threadIdx.x] = sum;\n}",
      "rows");
  const Variant variant = kernel.variant({step});
  EXPECT_THAT(variant.text, HasSubstr("for (int i = (0); i < n; i++)"));
  EXPECT_THAT(variant.text, HasSubstr("for (int k = (i); k < n; k += 2)"));
  EXPECT_THAT(variant.text, HasSubstr("for (int k = (1); k < 4; ++k)"));
  kernel.run_alike(variant, {{launch({1, 1, 1}, {64, 1, 1}),
                              "buffer<float>(0, 30, -1, 1), buffer<float>(1, 64, 0, 1), 30"}});
}

TEST(ForLoops, LeavesVariablesThatOthersAskFor) {
  const auto refusal = [](const std::string& body) {
    return KernelUnderTest(
               "__global__ void k(int* a, int n) {\n  int i = threadIdx.x, j = 0;\n" + body + "\n}",
               "k")
        .refusal({step});
  };
  EXPECT_EQ(refusal("while (i < n) { a[i] = 1; i += 64; }"), "");
  EXPECT_NE(refusal("while (i < n) { a[i] = 1; i += 64; }\n a[0] = i;"), "");
  EXPECT_NE(refusal("while (i < n) { if (a[i]) continue; a[i] = 1; i += 64; }"), "");
  EXPECT_NE(refusal("i = a[0];\n while (i < n) { a[i] = 1; i += 64; }"), "");
  EXPECT_NE(refusal("while (i < n) { a[i] = 1; ++i; }\n while (i < n + 9) { a[i] = 2; ++i; }"), "");
  // It does not begin anew in the second round of the loop around it.
  EXPECT_NE(refusal("for (int r = 0; r < 2; ++r) while (i < n * r) { a[i] = 1; ++i; }"), "");
  EXPECT_NE(refusal("for (int r = 0; r < 2; ++r) { while (i < n * r) { a[i] = 1; ++i; } }"), "");
  EXPECT_NE(refusal("for (j = 0; j < n; ++j) if (a[j] == i) break;\n a[0] = j;"), "");
  EXPECT_NE(refusal("for (j = 0; j < n; ++j) for (j = 1; j < 3; ++j) a[j] = i;"), "");
  EXPECT_NE(refusal("for (j = j + 1; j < n; ++j) a[j] = i;"), "");
  EXPECT_NE(refusal("{ int m = n; int n = 3; while (m > n) { a[m] = n; --m; } }"), "");
  EXPECT_NE(refusal("int* p = &j;\n for (j = 0; j < n; ++j) a[j] = *p;"), "");
  EXPECT_EQ(refusal("for (j = 0; j < n; ++j) a[j] = i;"), "");
}

// In the head, the step's names are those of around the loop.
TEST(ForLoops, LeavesStepsOfTheBodysOwnVariables) {
  const auto refusal = [](const std::string& declared) {
    return KernelUnderTest(
               "__global__ void skip(const int* a, int* out, int n, int s) {\n"
               "  int i = threadIdx.x, sum = 0;\n"
               "  while (i < n) {\n    " +
                   declared +
                   "\n    sum += a[i];\n    i += s;\n  }\n"
                   "  out[threadIdx.x] = sum;\n}",
               "skip")
        .refusal({step});
  };
  EXPECT_NE(refusal("const int s = 1 + a[i];"), "");
  EXPECT_EQ(refusal("{ const int s = a[i]; sum += s; }"), "");
  EXPECT_EQ(refusal(""), "");
}

TEST(ForLoops, VariablesMayHaveAttributes) {
  KernelUnderTest kernel(
      "__global__ void sum(const int* a, int* out, int n) {\n"
      "  [[maybe_unused]] int k;\n  int all = 0;\n"
      "  for (k = 0; k < n; ++k) all += a[k];\n  out[threadIdx.x] = all;\n}",
      "sum");
  kernel.variant({step});
}

}  // namespace
}  // namespace geak::clang_tool::transforms::testing
