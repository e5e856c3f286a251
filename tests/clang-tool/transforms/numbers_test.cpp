// What variants compute, on the emulated GPU, beside what the original does: for transforms whose
// own tests look at their text.
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include "harness.h"

namespace geak::clang_tool::transforms::testing {
namespace {
using nlohmann::json;

struct Sample {
  const char* name;
  std::string kernel;  ///< its name
  std::string source;
  std::vector<SeenLaunch> seen;
  std::vector<std::vector<RecipeStep>> recipes;
  std::vector<SampleRun> runs;
  double tolerance = 0;
};

void PrintTo(const Sample& sample, std::ostream* out) { *out << sample.name; }

RecipeStep step(const char* transform, json parameters = json::object()) {
  return {transform, std::move(parameters)};
}

Sample rows_of_sums() {
  const SeenLaunch seen = launch({2, 1, 1}, {64, 1, 1}, {4096, 8192, 12288, 37});
  return {"sums of rows",
          "sums",
          "__global__ void sums(const int* a, const int* b, int* out, int n) {\n"
          "  const int row = blockIdx.x * blockDim.x + threadIdx.x;\n  int sum = 0;\n"
          "  for (int i = 0; i < n; ++i) sum += a[row * n + i] * b[i];\n  out[row] = sum;\n}",
          {seen},
          {{step("restrict"), step("unroll", {{"factor", 4}}), step("launch_bounds")},
           {step("specialize", {{"arguments", {{"3", 37}}}, {"block", true}}),
            step("unroll", {{"factor", 0}})},
           {step("wide_loads", {{"bytes", 16}})},
           {step("batch_rounds", {{"rounds", 4}})}},
          {{seen,
            "buffer<int>(0, 128 * 37, -9, 9), buffer<int>(1, 37, -9, 9), buffer<int>(2, 128, 0, "
            "1), 37"}}};
}

Sample blur() {
  const SeenLaunch seen = launch({4, 4, 1}, {16, 16, 1}, {4096, 8192, 60, 52});
  const json rows{{"factors", {1, 4, 1}}, {"order", "consecutive"}};
  const json columns{{"factors", {2, 2, 1}}, {"order", "strided"}};
  return {
      "blur",
      "blur",
      "__global__ void blur(const float* in, float* out, int w, int h) {\n"
      "  const int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  const int y = blockIdx.y * blockDim.y + threadIdx.y;\n"
      "  if (x >= w || y >= h) return;\n  float sum = 0;\n"
      "  for (int dy = -1; dy <= 1; ++dy)\n    for (int dx = -1; dx <= 1; ++dx) {\n"
      "      const int ix = x + dx;\n"
      "      if (ix >= 0 && ix < w && y + dy >= 0 && y + dy < h) sum += in[(y + dy) * w + ix];\n"
      "    }\n  out[y * w + x] = sum;\n}",
      {seen},
      {{step("interior", {{"compact", true}})},
       {step("block_shape", {{"block", {64, 4, 1}}}), step("coarsen", rows)},
       {step("coarsen", columns)},
       {step("coarsen", rows), step("interior", {{"compact", true}})}},
      {{seen, "buffer<float>(0, 60 * 52, 0, 9), buffer<float>(1, 60 * 52, 0, 1), 60, 52"}},
      1e-6};
}

Sample first_alike() {
  const SeenLaunch seen = launch({3, 1, 1}, {64, 1, 1}, {4096, 8192, 190});
  return {"first in the same cell",
          "same_cell",
          "__global__ void same_cell(const int* cells, int* first, int n) {\n"
          "  const int me = blockIdx.x * blockDim.x + threadIdx.x;\n  if (me >= n) return;\n"
          "  const int x = cells[me * 2];\n  const int y = cells[me * 2 + 1];\n  first[me] = me;\n"
          "  for (int i = 0; i < me; ++i) {\n    const int* other = cells + size_t(i) * 2;\n"
          "    if (other[0] == -1) continue;\n    if (other[0] == x && other[1] == y) {\n"
          "      first[me] = i;\n      break;\n    }\n  }\n}",
          {seen},
          {{step("skip_quiet", {{"rounds", 16}})},
           {step("skip_quiet", {{"rounds", 8}, {"tests", 1}, {"rare", false}})}},
          {{seen, "buffer<int>(0, 380, -2, 9), buffer<int>(1, 190, 0, 1), 190"}}};
}

Sample tree(const std::string& type, const std::string& combine, double tolerance) {
  const SeenLaunch seen = launch({4, 1, 1}, {256, 1, 1}, {4096, 8192});
  return {type == "int" ? "least by a tree" : "sum by a tree",
          "reduce",
          "__global__ void reduce(const " + type + "* in, " + type + "* out) {\n  __shared__ " +
              type +
              " part[256];\n  const int t = threadIdx.x;\n"
              "  part[t] = in[blockIdx.x * 256 + t];\n  __syncthreads();\n"
              "  for (int w = 128; w > 0; w /= 2) {\n    if (t < w) " +
              combine + ";\n    __syncthreads();\n  }\n  if (t == 0) out[blockIdx.x] = part[0];\n}",
          {seen},
          {{step("wave_tail")}, {step("wave_tail", {{"registers", true}})}},
          {{seen, "buffer<" + type + ">(0, 1024, -999, 999), buffer<" + type + ">(1, 4, 0, 1)"}},
          tolerance};
}

Sample pairs_of_rows() {
  const SeenLaunch seen = launch({1, 1, 1}, {64, 1, 1}, {4096, 101});
  return {"a row turned round",
          "turn",
          "__global__ void turn(float* a, int n) {\n  __shared__ float s[128];\n"
          "  const int i = 2 * threadIdx.x, j = i + 1;\n"
          "  s[i] = i < n ? a[i] : 0.0f;\n  s[j] = j < n ? a[j] : 0.0f;\n  __syncthreads();\n"
          "  if (i < n) a[i] = s[127 - i];\n  if (j < n) a[j] = s[127 - j];\n}",
          {seen},
          {{step("joint_conditions")}},
          {{seen, "buffer<float>(0, 101, -9, 9), 101"},
           {launch({1, 1, 1}, {64, 1, 1}, {4096, 128}), "buffer<float>(0, 128, -9, 9), 128"}}};
}

Sample differences_in_lds() {
  const SeenLaunch seen = launch({1, 1, 1}, {128, 1, 1}, {4096, 8192});
  return {"differences of pairs",
          "pairs",
          "__global__ void pairs(const float* in, float* out) {\n  __shared__ float s[256];\n"
          "  const int t = threadIdx.x;\n  s[2 * t] = in[t];\n  s[2 * t + 1] = in[t + 128];\n"
          "  __syncthreads();\n  out[t] = s[t * 2 + 1] - s[(127 - t) * 2];\n}",
          {seen},
          {{step("pad_lds")}},
          {{seen, "buffer<float>(0, 256, -9, 9), buffer<float>(1, 128, 0, 1)"}}};
}

Sample transposition() {
  const SeenLaunch seen = launch({8, 1, 1}, {256, 1, 1}, {4096, 8192, 32, 64});
  return {"transposition",
          "turn",
          "__global__ void turn(const float* in, float* out, int rows, int columns) {\n"
          "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
          "  if (i >= rows * columns) return;\n"
          "  const int row = i % rows;\n  const int column = i / rows;\n"
          "  out[i] = in[row * columns + column];\n}",
          {seen},
          {{step("coarsen_digit", {{"digit", "column"}, {"items", 4}})},
           {step("coarsen_digit", {{"digit", "row"}, {"items", 8}})}},
          {{seen, "buffer<float>(0, 2048, -9, 9), buffer<float>(1, 2048, 0, 1), 32, 64"}}};
}

Sample gelu() {
  const SeenLaunch seen = launch({2, 1, 1}, {64, 1, 1}, {4096, 8192});
  return {"gelu",
          "gelu",
          "__global__ void gelu(const float* in, float* out) {\n"
          "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  const float x = in[i];\n"
          "  out[i] = 0.5 * x * (1.0 + tanh(0.79788 * (x + 0.044715 * x * x * x))) / (1 + "
          "expf(-x));\n}",
          {seen},
          {{step("single_precision")},
           {step("fast_math", {{"divisions", true}})},
           {step("single_precision"), step("fast_math", {{"divisions", true}})}},
          {{seen, "buffer<float>(0, 128, -6, 6), buffer<float>(1, 128, 0, 1)"}},
          1e-5};
}

class Numbers : public ::testing::TestWithParam<Sample> {};

TEST_P(Numbers, OfAVariantAreTheOriginals) {
  const Sample& sample = GetParam();
  KernelUnderTest kernel(sample.source, sample.kernel, sample.seen);
  for (const std::vector<RecipeStep>& recipe : sample.recipes) {
    SCOPED_TRACE(json(recipe).dump());
    kernel.run_alike(kernel.variant(recipe), sample.runs, sample.tolerance);
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, Numbers,
                         ::testing::Values(rows_of_sums(), blur(), first_alike(),
                                           tree("int", "part[t] = min(part[t], part[t + w])", 0),
                                           tree("float", "part[t] += part[t + w]", 1e-6),
                                           pairs_of_rows(), differences_in_lds(), transposition(),
                                           gelu()));

/// A comparison that could not fail would prove nothing.
TEST(Numbers, ThatDifferAreTold) {
  if (!kProgramsRun) GTEST_SKIP() << "the emulator was built with sanitizers";
  KernelUnderTest kernel("__global__ void k(int* a) { a[threadIdx.x] += 1; }", "k");
  Variant wrong = kernel.variant({step("restrict")});
  const auto at = wrong.text.find("+= 1");
  ASSERT_NE(at, std::string::npos);
  wrong.text.replace(at, 4, "+= 2");
  const SampleRun once{launch({1, 1, 1}, {64, 1, 1}, {4096}), "buffer<int>(0, 64, 0, 9)"};
  EXPECT_NONFATAL_FAILURE(kernel.run_alike(wrong, {once}), "buffer 0 differs");
}

}  // namespace
}  // namespace geak::clang_tool::transforms::testing
