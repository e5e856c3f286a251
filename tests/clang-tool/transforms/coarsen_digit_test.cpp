#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <set>

#include "harness.h"

namespace geak::clang_tool::transforms::testing {
namespace {
using ::testing::HasSubstr;
using ::testing::Not;

RecipeStep along(const char* digit, unsigned items) {
  return {"coarsen_digit", {{"digit", digit}, {"items", items}}};
}

// (rows, columns) gathered to (columns, rows): reads are far apart, stores side by side.
const std::string transpose =
    "__global__ void turn(const float* in, float* out, int rows, int columns) {\n"
    "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= rows * columns) return;\n"
    "  const int row = i % rows;\n  const int column = i / rows;\n"
    "  out[i] = in[row * columns + column];\n}";

TEST(CoarsenDigit, ReadsNeighboursOfTheHighestDigitAtOnce) {
  KernelUnderTest kernel(transpose, "turn", {launch({8, 1, 1}, {256, 1, 1}, {4096, 8192, 32, 64})});
  const Variant variant = kernel.variant({along("column", 4)});
  EXPECT_THAT(variant.text, HasSubstr("geak_group / geak_below * geak_below * 4u"));
  EXPECT_THAT(variant.text, HasSubstr("const int row = i_item0 % rows;"));
  EXPECT_THAT(variant.text, HasSubstr("column_item3 = (int)(column_item0 + 3 * (1));"));
  EXPECT_THAT(variant.text, HasSubstr("out[i_item3]"));
  EXPECT_EQ(variant.launch.axes[0].grid, support::GridRule::cover);
  EXPECT_THAT(variant.text, HasSubstr("&(in[row * columns + column_item0]) + 0, 16"));
  EXPECT_THAT(variant.guard, HasSubstr("% 4 == 0"));
  const auto asks = [](const Variant& of, support::Condition::Kind kind, unsigned position) {
    return std::ranges::any_of(of.launch.conditions, [&](const support::Condition& condition) {
      return condition.kind == kind && condition.index == position;
    });
  };
  EXPECT_TRUE(asks(variant, support::Condition::Kind::argument_multiple, 3)) << "whole rows";
  EXPECT_TRUE(asks(variant, support::Condition::Kind::argument_aligned, 0));
  EXPECT_FALSE(asks(variant, support::Condition::Kind::argument_aligned, 1));
  // Rows of another length begin anywhere.
  KernelUnderTest wider(transpose, "turn",
                        {launch({8, 1, 1}, {256, 1, 1}, {4096, 8192, 32, 64}),
                         launch({8, 1, 1}, {256, 1, 1}, {4096, 8192, 32, 60})});
  EXPECT_THAT(wider.text({along("column", 4)}), Not(HasSubstr("memcpy")));
}

// Rows of a table by index; the lowest digit is a row's place.
const std::string embedding =
    "__global__ void look_up(const float* table, const int* rows, float* out, int count, int width)"
    " {\n  const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;\n"
    "  if (i >= size_t(count) * width) return;\n  const int place = i % width;\n"
    "  const int entry = i / width;\n  const int row = rows[entry];\n"
    "  out[i] = table[size_t(row) * width + place];\n}";

TEST(CoarsenDigit, StoresNeighboursOfTheLowestDigitAtOnce) {
  KernelUnderTest kernel(embedding, "look_up",
                         {launch({8, 1, 1}, {256, 1, 1}, {4096, 8192, 12288, 32, 64})});
  const Variant variant = kernel.variant({along("place", 4)});
  EXPECT_THAT(variant.text, HasSubstr("const int row = rows[entry];"));  // once for all
  EXPECT_THAT(variant.text, HasSubstr("&(table[size_t(row) * width + place_item0]) + 0, 16"));
  EXPECT_THAT(variant.text, HasSubstr("&(out[i_item0]) + 0, 16), &geak_items"));
  EXPECT_THAT(variant.guard, HasSubstr("((long long)(width)) % 4 == 0"));
  EXPECT_TRUE(std::ranges::count_if(variant.launch.conditions, [](const auto& condition) {
                return condition.kind == support::Condition::Kind::argument_aligned;
              }) == 2);
  const auto pairs = kernel.variant({along("place", 2)});
  EXPECT_THAT(pairs.text, HasSubstr("alignas(8)"));
}

const std::string chain =
    "__global__ void norm(const float* x, const float* mean, const float* scale, float* out,"
    " int n, int channels, int height, int width) {\n"
    "  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n) return;\n"
    "  const unsigned row = i / width;\n  const unsigned image_row = row / height;\n"
    "  const unsigned channel = image_row % channels;\n  const unsigned at = i % width;\n"
    "  const unsigned y = row % height;\n  const float c = scale[y * width + at];\n"
    "  out[i] = (x[i] - mean[channel]) * c;\n}";

TEST(CoarsenDigit, FollowsChainsOfQuotients) {
  KernelUnderTest kernel(
      chain, "norm", {launch({16, 1, 1}, {64, 1, 1}, {4096, 8192, 12288, 16384, 1024, 8, 8, 8})});
  const Variant variant = kernel.variant({along("channel", 8)});
  EXPECT_THAT(variant.text, HasSubstr("const unsigned at = i_item0 % width;"));
  EXPECT_THAT(variant.text, HasSubstr("const unsigned y = row_item0 % height;"));
  EXPECT_THAT(variant.text, HasSubstr("const float c = scale"));
  EXPECT_THAT(variant.text, HasSubstr("row_item1 = (unsigned int)(row_item0 + 1 * (height));"));
  EXPECT_THAT(variant.text, HasSubstr("&(mean[channel_item0]) + 4, 16"));
}

// One channel cannot be shared out by eights: such a variant would never run.
TEST(CoarsenDigit, IsNotOfferedWhereItsGuardHoldsAtNoLaunch) {
  const auto under_test = [](std::vector<std::int64_t> sizes) {
    std::vector<std::optional<std::int64_t>> arguments{4096, 8192, 12288, 16384};
    arguments.insert(arguments.end(), sizes.begin(), sizes.end());
    return KernelUnderTest(chain, "norm", {launch({16, 1, 1}, {64, 1, 1}, arguments)});
  };
  const auto digits = [](KernelUnderTest& kernel) {
    std::set<std::string> found;
    for (const auto& option : kernel.session().options())
      if (option.step.transform == "coarsen_digit")
        found.insert(option.step.parameters.at("digit").get<std::string>());
    return found;
  };
  auto many = under_test({1024, 8, 8, 8});
  EXPECT_TRUE(digits(many).contains("channel"));
  auto one = under_test({1024, 1, 8, 8});
  EXPECT_FALSE(digits(one).contains("channel"));
  EXPECT_TRUE(digits(one).contains("y")) << "the others may still run";
  EXPECT_THAT(one.refusal({along("channel", 8)}), HasSubstr("guard holds at no launch seen"));
  // What nobody knows of a launch stands in nobody's way.
  KernelUnderTest unknown(chain, "norm", {launch({16, 1, 1}, {64, 1, 1})});
  EXPECT_THAT(unknown.refusal({along("channel", 8)}), Not(HasSubstr("guard")));
}

TEST(CoarsenDigit, RefusesWhatIsNoDigitOrHasNoEnd) {
  const auto refusal = [](const std::string& body, const char* digit = "d") {
    return KernelUnderTest(
               "__global__ void k(float* a, const float* b, int n, int m, int h) {\n"
               "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n" +
                   body + "\n}",
               "k", {launch({16, 1, 1}, {64, 1, 1}, {4096, 8192, 1024, 16, 8})})
        .refusal({along(digit, 4)});
  };
  const std::string ends = "if (i >= n) return;\n";
  EXPECT_EQ(refusal(ends + "const int d = i % m; const int e = i / m; a[i] = b[e] + d;"), "");
  EXPECT_THAT(refusal(ends + "const int d = i + m; const int e = i / m; a[i] = b[e] + d;"),
              HasSubstr("no digit"));
  EXPECT_THAT(refusal(ends + "int d = i % m; const int e = i / m; d += 1; a[i] = b[e] + d;"),
              HasSubstr("no digit"));
  EXPECT_THAT(refusal(ends + "m += 1; const int d = i % m; const int e = i / m; a[i] = b[e] + d;"),
              HasSubstr("no digit"));
  EXPECT_THAT(refusal(ends + "const int e = i / m; a[i] = b[e];", "i"), HasSubstr("no digit"));
  EXPECT_THAT(refusal("const int d = i % m; const int e = i / m; a[i] = b[e] + d;"),
              HasSubstr("no early return"));
  EXPECT_THAT(
      refusal("a[0] = 1; " + ends + "const int d = i % m; const int e = i / m; a[i] = d + e;"),
      HasSubstr("before the early return"));
  EXPECT_THAT(refusal(ends + "const int d = i % m; const int e = i / m; if (b[i] > 0) return;"
                             "a[i] = b[e] + d;"),
              HasSubstr("may return"));
  EXPECT_THAT(
      refusal(ends + "const int d = i % m; const int e = i / m; __syncthreads(); a[i] = d + e;"),
      HasSubstr("barriers"));
}

}  // namespace
}  // namespace geak::clang_tool::transforms::testing
