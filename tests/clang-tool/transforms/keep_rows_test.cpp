#include <gmock/gmock.h>

#include "harness.h"

namespace geak::clang_tool::transforms::testing {
namespace {
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

RecipeStep keep(unsigned rounds) { return {"keep_rows", {{"rounds", rounds}}}; }

const std::vector<SeenLaunch> rows = {launch({3, 1, 1}, {64, 1, 1})};

SampleRun run_of(const std::string& arguments) { return {rows.front(), arguments}; }

// A sum over the workgroup, in a function with barriers and LDS.
const std::string total =
    "__device__ inline float total(float v) {\n  __shared__ float all[64];\n"
    "  all[threadIdx.x] = v;\n  __syncthreads();\n"
    "  for (int s = 32; s > 0; s /= 2) {\n"
    "    if (threadIdx.x < s) all[threadIdx.x] += all[threadIdx.x + s];\n    __syncthreads();\n  "
    "}\n"
    "  return all[0];\n}\n";

const std::string norm =
    total +
    "__global__ void norm(float* out, const float* in, const float* weight, int n) {\n"
    "  in += blockIdx.x * n;\n  const float* x = in;\n  float sum = 0;\n"
    "  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += x[i] * x[i];\n"
    "  const float scale = rsqrtf(total(sum) / n + 1e-5f);\n"
    "  for (int i = threadIdx.x; i < n; i += blockDim.x)\n"
    "    out[blockIdx.x * n + i] = x[i] * scale * weight[i];\n}";

TEST(KeepRows, ANormReadsItsRowOnce) {
  KernelUnderTest kernel(norm, "norm", rows);
  const Variant variant = kernel.variant({keep(4)});
  EXPECT_THAT(variant.text, AllOf(HasSubstr("float geak_kept0_0[4];"),
                                  HasSubstr("sum += geak_kept0_0[geak_nth0] * geak_kept0_0"),
                                  HasSubstr("float geak_ahead0_0[4];"),
                                  HasSubstr("scale * geak_ahead0_0[geak_nth0];")));
  EXPECT_THAT(variant.guard, AllOf(HasSubstr("geak_swap::apart(out, in)"),
                                   HasSubstr("geak_swap::apart(out, weight)")));
  // Rows of any length: what is not kept the loops read as they did.
  std::vector<SampleRun> runs;
  for (const char* n : {"0", "1", "63", "200", "256", "257", "900"})
    runs.push_back(
        run_of("buffer<float>(0, 2700, 0, 1), buffer<float>(1, 2700, -1, 1), "
               "buffer<float>(2, 900, 0, 1), " +
               std::string(n)));
  kernel.run_alike(variant, runs, 1e-5);
}

TEST(KeepRows, WhatARoundStoresIsKeptInItsPlace) {
  KernelUnderTest kernel(
      "#include <hip/hip_fp16.h>\n" + total +
          "__global__ void add_norm(__half* x, __half* residual, int n) {\n"
          "  const long row = long(blockIdx.x) * n;\n  float sum = 0;\n"
          "  for (int i = threadIdx.x; i < n; i += blockDim.x) {\n"
          "    const long at = row + i;\n    __half z = __hadd(x[at], residual[at]);\n"
          "    sum += __half2float(z) * __half2float(z);\n    residual[at] = z;\n  }\n"
          "  const float scale = rsqrtf(total(sum) / n);\n"
          "  for (int i = threadIdx.x; i < n; i += blockDim.x) {\n    const long at = row + i;\n"
          "    x[at] = __float2half(scale * __half2float(residual[at]));\n  }\n}",
      "add_norm", rows);
  const Variant variant = kernel.variant({keep(2)});
  EXPECT_THAT(variant.text, HasSubstr("residual[at] = geak_kept0_"));
  EXPECT_THAT(variant.guard, HasSubstr("geak_swap::apart(x, residual)"));
  kernel.run_alike(variant, {run_of("buffer<__half>(0, 900, -1, 1), buffer<__half>(1, 900, -1, 1), "
                                    "300"),
                             run_of("buffer<__half>(0, 900, -1, 1), buffer<__half>(1, 900, -1, 1), "
                                    "99")});
}

TEST(KeepRows, ASoftmaxInPlaceAndRowsInTurn) {
  KernelUnderTest kernel(
      "__global__ void softmax(float* y, int rows, int n) {\n  __shared__ float all[64];\n"
      "  for (int row = blockIdx.x; row < rows; row += gridDim.x) {\n"
      "    float* x = y + row * n;\n    float sum = 0;\n"
      "    for (int i = threadIdx.x; i < n; i += blockDim.x) { x[i] = expf(x[i]); sum += x[i]; }\n"
      "    all[threadIdx.x] = sum;\n    __syncthreads();\n    float whole = 0;\n"
      "    for (int j = 0; j < 64; ++j) whole += all[j];\n    __syncthreads();\n"
      "    for (int i = threadIdx.x; i < n; i += blockDim.x) if (i != 5) x[i] /= whole;\n  }\n}",
      "softmax", rows);
  const Variant variant = kernel.variant({keep(2)});
  EXPECT_THAT(variant.text, HasSubstr("x[i] = geak_kept0_0[geak_nth0] /= whole;"));
  kernel.run_alike(variant,
                   {run_of("buffer<float>(0, 2100, -1, 1), 7, 300"),
                    run_of("buffer<float>(0, 2100, -1, 1), 7, 70")},
                   1e-5);
}

std::string refusal(const std::string& first, const std::string& between,
                    const std::string& second) {
  const std::string loop = "for (int i = threadIdx.x; i < n; i += blockDim.x) ";
  return KernelUnderTest(
             "__device__ int hidden;\n"
             "__global__ void k(float* a, const float* b, float* c, int n) {\n"
             "  int base = blockIdx.x * n;\n  float s = 0;\n  " +
                 loop + first + "\n  " + between + "\n  " + loop + second + "\n}",
             "k", rows)
      .refusal({keep(4)});
}

const std::string sum = "s += b[base + i];", use = "a[base + i] = b[base + i] * s;";

TEST(KeepRows, TakesWhatIsMetAgain) {
  EXPECT_THAT(refusal(sum, "__syncthreads();", use), IsEmpty());
  EXPECT_THAT(refusal("a[base + i] = s;", "", "c[base + i] = a[base + i];"), IsEmpty());
}

TEST(KeepRows, RefusesWhatMayHaveChanged) {
  const auto none = HasSubstr("no element of a row is met again");
  EXPECT_THAT(refusal("s += a[base + i];", "a[base] = 1;", "c[base + i] = a[base + i] * s;"), none);
  EXPECT_THAT(refusal("s += a[base + i];", "", "a[base + i + 1] = a[base + i] * s;"), none);
  EXPECT_THAT(refusal(sum, "base += 1;", use), none);
  // Not every round has read it, or it is another one.
  EXPECT_THAT(refusal("if (s > 1) s += b[base + i];", "", use), none);
  EXPECT_THAT(refusal("if (i > 1) a[base + i] = s;", "", "c[base + i] = a[base + i];"), none);
  EXPECT_THAT(refusal("s += b[base + i + 1];", "", use), none);
  EXPECT_THAT(refusal("s += a[base + i];", "", "a[base + i]++;"), none);
  // Who else stores is not plain.
  EXPECT_THAT(refusal(sum, "atomicAdd(&a[0], 1.0f);", use), HasSubstr("may store to memory"));
  EXPECT_THAT(refusal(sum, "hidden = 1;", use), Not(IsEmpty()));
}

// Operators of classes: a half's `+=` is a method, a bfloat16's a function that gets a reference.
std::string with_operators(const std::string& type, const std::string& first,
                           const std::string& second) {
  return "#include <hip/hip_bfloat16.h>\n#include <hip/hip_fp16.h>\n" + total +
         "__global__ void k(" + type + "* x, " + type + "* residual, int n) {\n" +
         "  const int row = blockIdx.x * n;\n  float sum = 0;\n"
         "  for (int i = threadIdx.x; i < n; i += blockDim.x) {\n" +
         first + "\n    sum += float(residual[row + i]);\n  }\n" +
         "  const float scale = 1.0f / (1.0f + total(sum) * total(sum));\n"
         "  for (int i = threadIdx.x; i < n; i += blockDim.x) {\n" +
         second +
         "\n  }\n"
         "  for (int i = threadIdx.x; i < n; i += blockDim.x)\n    x[row + i] = " +
         type + "(scale * float(residual[row + i]));\n}";
}

TEST(KeepRows, OperatorsOfClassesChangeTheLocalBeforeThem) {
  for (const std::string type : {"__half", "hip_bfloat16"}) {
    KernelUnderTest kernel(with_operators(type,
                                          type + " z = x[row + i]; z += residual[row + i]; "
                                                 "residual[row + i] = z;",
                                          ";"),
                           "k", rows);
    const Variant variant = kernel.variant({keep(2)});
    EXPECT_THAT(variant.text, HasSubstr("residual[row + i] = geak_kept0_")) << type;
    kernel.run_alike(variant, {run_of("buffer<" + type + ">(0, 900, -1, 1), buffer<" + type +
                                      ">(1, 900, -1, 1), 300")});
  }
}

TEST(KeepRows, OperatorsOfClassesThatChangeAnElementAreStores) {
  for (const char* type : {"__half", "hip_bfloat16"})
    for (const char* store :
         {"residual[row + i] += x[row + i];", "*(residual + row) *= x[row + i];",
          "auto& at = residual[row + i]; at += x[row + i];"}) {
      const auto refused = HasSubstr("the kernel calls what may store to memory");
      EXPECT_THAT(KernelUnderTest(with_operators(type, ";", store), "k", rows).refusal({keep(2)}),
                  refused)
          << type << ": " << store;
    }
}

TEST(KeepRows, RefusesLoopsOfOtherSteps) {
  EXPECT_THAT(refusal(sum, "n /= 2;", use), HasSubstr("no loops of one block"));
  EXPECT_THAT(
      KernelUnderTest("__global__ void k(float* a, const float* b, int n) {\n  float s = 0;\n"
                      "  for (int i = threadIdx.x; i < n; i += blockDim.x) s += b[i];\n"
                      "  for (int i = threadIdx.x; i < n - 1; i += blockDim.x)\n"
                      "    a[i] = b[i] * s;\n}",
                      "k", rows)
          .refusal({keep(4)}),
      HasSubstr("no loops of one block"));
  EXPECT_THAT(KernelUnderTest(norm, "norm", rows).refusal({keep(33)}), HasSubstr("1 to 32 rounds"));
}

}  // namespace
}  // namespace geak::clang_tool::transforms::testing
