#include <gmock/gmock.h>

#include "harness.h"

namespace geak::clang_tool::transforms::testing {
namespace {
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const RecipeStep step{"early_exit", nlohmann::json::object()};

TEST(EarlyExit, AGuardedBlockBecomesTheKernelsOwn) {
  KernelUnderTest kernel(
      "__global__ void scale(float* out, const float* in, int n, int w) {\n"
      "  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;\n"
      "  if (x < w && (y + 1 <= n || x == 3)) {\n"
      "    const float value = in[y * w + x];\n    out[y * w + x] = 2 * value;\n  }\n}",
      "scale");
  const Variant variant = kernel.variant({step});
  EXPECT_THAT(variant.text,
              HasSubstr("if (((x) >= (w) || ((y + 1) > (n) && (x) != (3)))) return;\n"));
  kernel.run_alike(variant, {{launch({2, 5, 1}, {32, 1, 1}),
                              "buffer<float>(0, 320, 0, 1), buffer<float>(1, 320, -9, 9), 3, 60"}});
}

TEST(EarlyExit, ComparisonsOfFloatingPointNumbersAreNotTurnedRound) {
  KernelUnderTest kernel(
      "__global__ void pick(int* out, const float* in) {\n"
      "  if (in[threadIdx.x] < 1.0f) out[threadIdx.x] = 1;\n}",
      "pick");
  EXPECT_THAT(kernel.text({step}), HasSubstr("if (!(in[threadIdx.x] < 1.0f)) return;\n"));
}

TEST(EarlyExit, MakesRoomForItemsInLockstep) {
  KernelUnderTest kernel(
      "__global__ void axpy(float* y, const float* x, float a, unsigned n) {\n"
      "  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) y[i] += a * x[i];\n}",
      "axpy", {launch({5, 1, 1}, {64, 1, 1}, {4096, 8192, std::nullopt, 300})});
  const RecipeStep several{"coarsen", {{"factors", {4, 1, 1}}, {"order", "strided"}}};
  EXPECT_THAT(kernel.refusal({several}), HasSubstr("no early return"));
  const Variant variant = kernel.variant({step, several});
  kernel.run_alike(variant, {{launch({5, 1, 1}, {64, 1, 1}),
                              "buffer<float>(0, 300, 0, 1), buffer<float>(1, 300, -9, 9), 1.5f, "
                              "300u"}});
  const auto options = kernel.session().options();
  EXPECT_TRUE(std::ranges::any_of(options, [&](const TransformOption& option) {
    return option.step.transform == sequence_step &&
           option.step.parameters == nlohmann::json{{"steps", std::vector{step, several}}};
  }));
}

TEST(EarlyExit, RefusesOtherForms) {
  const auto refusal = [](const std::string& body) {
    return KernelUnderTest(
               "__global__ void k(int* a, int n) {\n  int i = threadIdx.x;\n" + body + "\n}", "k")
        .refusal({step});
  };
  EXPECT_EQ(refusal("if (i < n) a[i] = 1;"), "");
  EXPECT_THAT(refusal("if (i < n) a[i] = 1; else a[i] = 2;"), HasSubstr("guarded block"));
  EXPECT_THAT(refusal("if (i < n) a[i] = 1;\n a[0] = 3;"), HasSubstr("guarded block"));
  EXPECT_THAT(refusal("if (int j = i) a[i] = j;"), HasSubstr("guarded block"));
  EXPECT_THAT(refusal("if (i < n) return;"), HasSubstr("already"));
  EXPECT_THAT(refusal("if (i < n) { int n = 3; a[i] = n; }"), HasSubstr("a name again"));
  EXPECT_THAT(refusal("if (i < n) { int i = 3; a[i] = n; }"), HasSubstr("a name again"));
}

}  // namespace
}  // namespace geak::clang_tool::transforms::testing
