#include <gmock/gmock.h>

#include "harness.h"

namespace geak::clang_tool::transforms::testing {
namespace {
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const RecipeStep step{"expand_macros", nlohmann::json::object()};

TEST(ExpandMacros, AStencilByAnIndexMacroCanTakeSeveralItems) {
  KernelUnderTest kernel(
      "#define AT(i, j) ((i) + nx * (j))\n#define AT_LEFT(i, j) AT((i) - 1, j)\n"
      "__global__ void blur(const float* in, float* out, int nx, int ny) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  const int j = blockIdx.y * blockDim.y + threadIdx.y;\n"
      "  if (i < 1 || j < 1 || i >= nx || j >= ny) return;\n"
      "  out[AT(i, j)] = in[AT_LEFT(i, j)] + in[AT(i, j - 1)];\n}",
      "blur", {launch({2, 3, 1}, {32, 4, 1}, {4096, 1 << 20, 40, 11})});
  const RecipeStep rows{"coarsen", {{"factors", {1, 4, 1}}, {"order", "consecutive"}}};
  EXPECT_THAT(kernel.refusal({rows}), HasSubstr("comes out of a macro"));
  const Variant variant = kernel.variant({step, rows});
  EXPECT_THAT(kernel.text({step}),
              HasSubstr("in[( ( ( i ) - 1 ) + nx * ( j ) )] + in[( ( i ) + nx * ( j - 1 ) )]"));
  kernel.run_alike(variant,
                   {{launch({2, 3, 1}, {32, 4, 1}),
                     "buffer<float>(0, 440, -9, 9), buffer<float>(1, 440, 0, 1), 40, 11"}});
}

TEST(ExpandMacros, ALoopOfAMacroIsALoop) {
  KernelUnderTest kernel(
      "#define KERNEL_LOOP(i, n) \\\n"
      "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); \\\n"
      "       i += blockDim.x * gridDim.x)\n"
      "__global__ void scale(float* a, int n) {\n  KERNEL_LOOP(index, n) { a[index] *= 2; }\n}",
      "scale", {launch({4, 1, 1}, {64, 1, 1}, {4096, 200})});
  EXPECT_THAT(kernel.text({step}), HasSubstr("for ( int index = blockIdx . x * blockDim . x"));
  const auto options = kernel.session().options();
  EXPECT_TRUE(std::ranges::any_of(options, [](const TransformOption& option) {
    const std::string text = option.step.parameters.dump();
    return option.step.transform == sequence_step &&
           text.find("expand_macros") < text.find("single_round") &&
           text.find("single_round") < text.find("\"coarsen\"") &&
           text.find("\"coarsen\"") != std::string::npos;
  }));
}

TEST(ExpandMacros, LeavesConstantsAndNamesThatAreNoUses) {
  KernelUnderTest kernel(
      "#define WIDTH (1 << 4)\n#define twice(x) ((x) + (x))\n#define self self + 0 * twice(self)\n"
      "__global__ void k(int* a) {\n  int twice = WIDTH, self = 1;\n#pragma unroll 2\n"
      "  for (int i = 0; i < WIDTH; ++i) a[i] = twice(i + self) + twice;\n}",
      "k");
  EXPECT_THAT(kernel.refusal({step}), HasSubstr("not valid"));  // `int self + ...`
  KernelUnderTest valid(
      "#define WIDTH (1 << 4)\n#define twice(x) ((x) + (x))\n#define turn turn + WIDTH\n"
      "__device__ int turn;\n"
      "__global__ void k(int* a) {\n  int twice = WIDTH;\n#pragma unroll 2\n"
      "  for (int i = 0; i < WIDTH; ++i) a[i] = twice(i, + 1) + twice + turn;\n}",
      "k");
  EXPECT_NE(valid.refusal({step}), "");
}

TEST(ExpandMacros, WhatItCannotFollowStaysAsItIs) {
  const auto text = [](const std::string& macros, const std::string& statement) {
    KernelUnderTest kernel(macros + "\n__global__ void k(int* a, int n) {\n" + statement + "\n}",
                           "k");
    const std::string refusal = kernel.refusal({step});
    return refusal.empty() ? kernel.text({step}) : refusal;
  };
  EXPECT_THAT(text("#define PUT(x) a[x] = n;", "PUT(1) PUT(2)"),
              HasSubstr("a [ 1 ] = n ; a [ 2 ] = n ;"));
  EXPECT_THAT(text("#define SUM(...) (__VA_ARGS__)", "a[0] = SUM(n, 1);"),
              HasSubstr("SUM takes any number of arguments"));
  EXPECT_THAT(text("#define NAME(x) x##_item\n", "int NAME(b) = n; a[0] = b_item;"),
              HasSubstr("makes tokens of its arguments"));
  EXPECT_THAT(text("#define LINE (n + __LINE__)", "a[0] = LINE;"),
              HasSubstr("__LINE__ depends on where it stands"));
  EXPECT_THAT(text("#define F(x) ((x) + n)\n#define G F", "a[0] = G(1);"),
              HasSubstr("takes its arguments from beyond its use"));
  EXPECT_THAT(text("", "a[0] = n;"), HasSubstr("no macro"));
  EXPECT_THAT(text("#define FOUR 4", "a[0] = FOUR;"), HasSubstr("no macro"));
  EXPECT_THAT(text("", "#define HERE n\n a[0] = HERE;\n#undef HERE"),
              HasSubstr("directives that define macros"));
  // A use over a directive keeps what the directive chooses.
  EXPECT_THAT(text("#define PUT(x) a[x] = n;", "PUT(\n#if 1\n1\n#else\n2\n#endif\n) PUT(3)"),
              AllOf(HasSubstr("#else"), HasSubstr("a [ 3 ] = n ;")));
  EXPECT_THAT(text("#define LEFT(x) twice(x)\n#define twice(x) (2 * (x))", "a[0] = LEFT(LEFT(n));"),
              AllOf(HasSubstr("( 2 * ( ( 2 * ( n ) ) ) )"), Not(HasSubstr("LEFT"))));
}

// The preprocessor keeps tokens apart that would be others next to each other.
TEST(ExpandMacros, TokensStayApart) {
  KernelUnderTest kernel(
      "#define LESS -x\n#define MORE +x\n#define REST x-\n"
      "__global__ void signs(int* out, int x) {\n"
      "  int y = 5 -LESS, z = -LESS+MORE;\n  y += REST-1 + z;\n"
      "  out[threadIdx.x] = x * 1000 + y;\n}",
      "signs");
  EXPECT_THAT(kernel.text({step}), HasSubstr("z = - - x + + x"));
}

TEST(ExpandMacros, NegatedMacrosChangeNothing) {
  KernelUnderTest kernel(
      "#define LESS -x\n#define REST x-\n"
      "__global__ void signs(int* out, int x) {\n"
      "  const int y = 5 -LESS, z = -LESS, rest = REST-1;\n"
      "  out[threadIdx.x] = x * 1000 + y + z * 10 + rest;\n}",
      "signs");
  kernel.run_alike(kernel.variant({step}),
                   {{launch({1, 1, 1}, {64, 1, 1}), "buffer<int>(0, 64, 0, 9), 7"}});
}

// Names of before `threadIdx`: AMD's headers let them call functions that other steps do not know.
TEST(ExpandMacros, OlderNamesOfLaunchValuesAreLaunchValues) {
  KernelUnderTest kernel(
      "#define ROW (hipBlockDim_y * hipBlockIdx_y + hipThreadIdx_y)\n"
      "__global__ void transpose(float* out, const float* in, const int width) {\n"
      "  int x = hipBlockDim_x * hipBlockIdx_x + hipThreadIdx_x;\n  int y = ROW;\n"
      "  out[y * width + x] = in[x * width + y];\n}",
      "transpose", {launch({4, 4, 1}, {4, 4, 1}, {4096, 1 << 20, 16})});
  const RecipeStep rows{"coarsen", {{"factors", {1, 4, 1}}, {"order", "consecutive"}}};
  EXPECT_NE(kernel.refusal({rows}), "");
  EXPECT_THAT(kernel.text({step}), AllOf(HasSubstr("static_cast<size_t>(blockDim.x) * "
                                                   "static_cast<size_t>(blockIdx.x)"),
                                         Not(HasSubstr("hip"))));
  kernel.run_alike(kernel.variant({step, rows}),
                   {{launch({4, 4, 1}, {4, 4, 1}),
                     "buffer<float>(0, 256, 0, 1), buffer<float>(1, 256, 0, 1), 16"}});
}

// What is of 64 bits under these names stays so: the product below does not fit 32.
TEST(ExpandMacros, OlderNamesKeepTheirBits) {
  KernelUnderTest kernel(
      "__global__ void far(unsigned long long* out, unsigned n) {\n"
      "  unsigned long long i = hipBlockIdx_x * hipBlockDim_x + hipThreadIdx_x;\n"
      "  if (i >= n) return;\n"
      "  out[i] = (hipBlockIdx_x * hipBlockDim_x + hipThreadIdx_x + 7) * 4000000000u;\n}",
      "far", {launch({4, 1, 1}, {64, 1, 1}, {4096, 256})});
  const std::vector<SampleRun> runs{
      {launch({4, 1, 1}, {64, 1, 1}), "buffer<unsigned long long>(0, 256, 0, 9), 256"}};
  for (const RecipeStep& next :
       {RecipeStep{"coarsen", {{"factors", {2, 1, 1}}, {"order", "strided"}}},
        RecipeStep{"block_shape", {{"block", {128, 1, 1}}}},
        RecipeStep{"specialize", {{"block", true}}}})
    kernel.run_alike(kernel.variant({step, next}), runs);
}

}  // namespace
}  // namespace geak::clang_tool::transforms::testing
