#include "clang-tool/transforms/session.h"

#include <gmock/gmock.h>

#include <stdexcept>

#include "harness.h"

namespace geak::clang_tool::transforms::testing {
namespace {
using ::testing::HasSubstr;

const char* const kernel_text =
    "__global__ void k(float* a, int n) { for (int i = 0; i < n; ++i) a[i] = blockDim.x; }";

TEST(Session, ComposesStepsInSequence) {
  KernelUnderTest kernel(kernel_text, "k", {launch({1, 1, 1}, {64, 1, 1}, {64, 40})});
  const Variant variant = kernel.variant({{"specialize", {{"arguments", {{"1", 40}}}}},
                                          {"unroll", {{"factor", 0}}},
                                          {"launch_bounds", nlohmann::json::object()}});
  EXPECT_THAT(variant.text, HasSubstr("static __global__ void __launch_bounds__(64) k__geak_"));
  EXPECT_THAT(variant.text, HasSubstr("#pragma unroll\nfor (int i = 0; i < 40;"));
  EXPECT_EQ(variant.recipe.size(), 3U);
}

TEST(Session, SaysWhichStepRefuses) {
  KernelUnderTest kernel(kernel_text, "k", {launch({1, 1, 1}, {64, 1, 1}, {64, 40})});
  EXPECT_THAT(kernel.refusal({{"launch_bounds", nlohmann::json::object()},
                              {"launch_bounds", nlohmann::json::object()}}),
              HasSubstr("launch_bounds: the kernel states launch bounds already"));
  EXPECT_EQ(kernel.refusal({{"magic", nlohmann::json::object()}}), "magic: no such transform");
}

TEST(Session, TakesSeveralStepsAsOne) {
  KernelUnderTest kernel(kernel_text, "k", {launch({1, 1, 1}, {64, 1, 1}, {64, 40})});
  const RecipeStep constant{"specialize", {{"arguments", {{"1", 40}}}}};
  const RecipeStep full{"unroll", {{"factor", 0}}};
  const nlohmann::json both = std::vector<RecipeStep>{constant, full};
  EXPECT_EQ(kernel.text({{sequence_step, {{"steps", both}}}}), kernel.text({constant, full}));
  EXPECT_EQ(kernel.refusal({{sequence_step, {{"steps", std::vector<RecipeStep>{full}}}}}),
            kernel.refusal({full}));
}

TEST(Session, OptionsAllApply) {
  KernelUnderTest kernel(kernel_text, "k", {launch({1, 1, 1}, {64, 1, 1}, {64, 40})});
  const auto options = kernel.session().options();
  EXPECT_FALSE(options.empty());
  for (const TransformOption& option : options) EXPECT_EQ(kernel.refusal({option.step}), "");
}

TEST(Session, RefusesKernelsThatCannotHaveASibling) {
  EXPECT_THROW(KernelUnderTest("#define K __global__ void k(float* a) { a[0] = 1; }\nK", "k"),
               std::runtime_error);
  EXPECT_THROW(KernelUnderTest("__global__ void k(float*) {}", "k"), std::runtime_error);
  EXPECT_THROW(KernelUnderTest(kernel_text, "other"), std::runtime_error);
}

// What is refused before any step, as a person reads it.
std::string why_no_session(const char* text, const std::string& name) {
  try {
    KernelUnderTest(text, name);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(Session, AsksForTheArgumentsOfATemplate) {
  const char* const text =
      "template <typename T, int N> __global__ void k(T* a) { a[0] = N; }\n"
      "void run(float* a) { k<float, 2><<<1, 1>>>(a); }";
  EXPECT_THAT(why_no_session(text, "k"), HasSubstr("k is a template; give"));
  EXPECT_THAT(
      why_no_session(text, "k<float, 2>"),
      HasSubstr("defines no kernel k<float, 2>; template arguments are given apart from the "
                "name k (--template-argument"));
  EXPECT_THAT(why_no_session(text, "other"), ::testing::EndsWith("defines no kernel other"));
}

TEST(Session, GuardsFunctionsThatAreTemplateArguments) {
  KernelUnderTest kernel(
      "namespace act {\ntemplate <typename T> __device__ inline T twice(const T& x) { return x + "
      "x; }\n"
      "template <typename T, T (*F)(const T&)>\n__global__ void each(T* out, const T* in, int n) "
      "{\n"
      "  for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = F(in[i]);\n}\n}\n"
      "void run(float* a) { act::each<float, act::twice<float>><<<1, 64>>>(a, a, 8); }",
      "act::each", {launch({1, 1, 1}, {64, 1, 1}, {4096, 8192, 40})},
      {"float", "&act::twice<float>"});
  const Variant variant = kernel.variant({{"specialize", {{"arguments", {{"2", 40}}}}}});
  EXPECT_THAT(variant.guard, HasSubstr("__is_same(T, float)"));
  EXPECT_THAT(variant.guard, HasSubstr("std::integral_constant<decltype(F), &act::twice<float>>"));
  EXPECT_FALSE(kernel.session().options().empty());
}

}  // namespace
}  // namespace geak::clang_tool::transforms::testing
