#include <gmock/gmock.h>

#include "harness.h"

namespace geak::clang_tool::transforms::testing {
namespace {
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const RecipeStep step{"wave_scan", nlohmann::json::object()};

unsigned barriers(const std::string& text) {
  unsigned count = 0;
  for (auto at = text.find("__syncthreads()"); at != std::string::npos;
       at = text.find("__syncthreads()", at + 1))
    ++count;
  return count;
}

/// A kernel that puts `items` elements of each workgroup of 256 through `rounds` in LDS and stores
/// what `left` says, element by element.
std::string scan(const std::string& type, const std::string& rounds, unsigned items = 256,
                 const std::string& left = "s[i]", const std::string& size = "") {
  const std::string n = std::to_string(items);
  return "__global__ void k(const " + type + "* in, " + type + "* out, int n) {\n  __shared__ " +
         type + " s[" + (size.empty() ? n : size) +
         "];\n  const int t = threadIdx.x;\n"
         "  for (int i = t; i < " +
         n + "; i += 256) s[i] = in[blockIdx.x * " + n + " + i];\n  __syncthreads();\n" + rounds +
         "\n  for (int i = t; i < " + n + "; i += 256) out[blockIdx.x * " + n + " + i] = " + left +
         ";\n}\n";
}

const SeenLaunch seen = launch({3, 1, 1}, {256, 1, 1}, {4096, 8192, 256});

KernelUnderTest kernel(const std::string& source, SeenLaunch launched = seen) {
  return KernelUnderTest(source, "k", {std::move(launched)});
}

SampleRun run_of(const std::string& type, unsigned items = 256,
                 const std::string& range = "-9, 9") {
  const std::string n = std::to_string(3 * items);
  return {seen, "buffer<" + type + ">(0, " + n + ", " + range + "), buffer<" + type + ">(1, " + n +
                    ", 0, 1), 256"};
}

const std::string hillis_steele =
    "  for (int d = 1; d < 256; d *= 2) {\n    int left = 0;\n"
    "    if (t >= d) left = s[t - d];\n    __syncthreads();\n    s[t] += left;\n"
    "    __syncthreads();\n  }\n";

TEST(WaveScan, DoesTheRoundsOfAScanByShuffles) {
  auto under_test = kernel(scan("int", hillis_steele));
  const Variant variant = under_test.variant({step});
  EXPECT_THAT(variant.text, AllOf(HasSubstr("__shfl_up(geak_sum0_0, geak_far, 32)"),
                                  HasSubstr("__shared__ int geak_totals0_0[8];"),
                                  Not(HasSubstr("for (int d = 1"))));
  EXPECT_EQ(barriers(variant.text), 3U);
  EXPECT_EQ(variant.launch.conditions.size(), 3U) << "the workgroup's size alone";
  under_test.run_alike(variant, {run_of("int"), run_of("int", 256, "-2147483647, 2147483647")});
}

TEST(WaveScan, CountersAndBuffersMayBeAnyhow) {
  const std::string swapped =
      "  int from = 0, to = 256;\n  for (unsigned d = 1; d <= 128; d <<= 1) {\n"
      "    if (t >= d) s[to + t] = s[from + t] + s[from + t - d];\n"
      "    else s[to + t] = s[from + t];\n    __syncthreads();\n"
      "    from = 256 - from;\n    to = 256 - to;\n  }\n";
  auto under_test = kernel(scan("long long", swapped, 256, "s[from + t]", "512"));
  under_test.run_alike(under_test.variant({step}), {run_of("long long")});
  const std::string twice =
      "  int to = 0;\n  for (int d = 1; d < n; d += d) {\n    to = 1 - to;\n"
      "    s[to * 256 + t] = t < d ? s[256 - to * 256 + t] : "
      "s[256 - to * 256 + t] + s[256 - to * 256 + t - d];\n"
      "    __syncthreads();\n  }\n";
  auto even = kernel(scan("int", twice, 256, "s[to * 256 + t]", "512"));
  const Variant variant = even.variant({step});
  EXPECT_THAT(variant.text, HasSubstr("to = (int)0ll;"));
  even.run_alike(variant, {run_of("int")});
}

TEST(WaveScan, TakesTreesThatGoUpAndDown) {
  const std::string blelloch =
      "  int offset = 1;\n  for (int d = 256; d > 0; d >>= 1) {\n    __syncthreads();\n"
      "    if (t < d) s[offset * (2 * t + 2) - 1] += s[offset * (2 * t + 1) - 1];\n"
      "    offset *= 2;\n  }\n  if (t == 0) s[511] = 0;\n"
      "  for (int d = 1; d < 512; d *= 2) {\n    offset >>= 1;\n    __syncthreads();\n"
      "    if (t < d) {\n      const int a = offset * (2 * t + 1) - 1;\n"
      "      const int b = offset * (2 * t + 2) - 1;\n      const float kept = s[a];\n"
      "      s[a] = s[b];\n      s[b] += kept;\n    }\n  }\n  __syncthreads();\n";
  auto under_test = kernel(scan("float", blelloch, 512, "s[i] + offset"));
  const Variant variant = under_test.variant({step});
  EXPECT_THAT(variant.text, HasSubstr("offset = (int)1ll;"));
  under_test.run_alike(variant, {run_of("float", 512)}, 1e-6);
}

TEST(WaveScan, TakesElementsAtGaps) {
  const std::string at = "#define AT(i) ((i) + (i) / 32)\n";
  const std::string rounds =
      "  for (int d = 1; d < 256; d *= 2) {\n"
      "    unsigned both = s[AT(t)];\n    if (t >= d) both = both | s[AT(t - d)];\n"
      "    __syncthreads();\n    s[AT(t)] = both;\n    __syncthreads();\n  }\n";
  std::string source = scan("unsigned", rounds, 256, "s[AT(i)]", "264");
  const auto store = source.find("s[i] = in");
  source.replace(store, 4, "s[AT(i)]");
  auto under_test = kernel(at + source);
  under_test.run_alike(under_test.variant({step}), {run_of("unsigned", 256, "0, 2147483647")});
}

std::string sum_of_rows(const std::string& type, const std::string& combine,
                        const std::string& loop = "for (int w = 128; w > 0; w /= 2)") {
  return "__global__ void k(const " + type + "* in, " + type + "* out, int n) {\n  __shared__ " +
         type +
         " s[256];\n  const int t = threadIdx.x;\n"
         "  for (int row = blockIdx.x; row < 3; row += gridDim.x) {\n"
         "    s[t] = in[row * 256 + t];\n    __syncthreads();\n    " +
         loop + " {\n      if (t < w) " + combine +
         ";\n      __syncthreads();\n    }\n    if (row < n && t == 0) out[row] = s[t];\n"
         "    __syncthreads();\n  }\n}\n";
}

TEST(WaveScan, TakesReductionsWhoseOtherElementsNobodyLooksAt) {
  for (const auto& [type, combine] : {std::pair{"int", "s[t] += s[t + w]"},
                                      {"double", "s[t] = s[t] + s[t + w]"},
                                      {"unsigned long long", "s[t] ^= s[w + t]"},
                                      {"float", "s[t] = fmaxf(s[t], s[t + w])"},
                                      {"int", "s[t] = min(s[t + w], s[t])"}}) {
    auto under_test = kernel(sum_of_rows(type, combine));
    const Variant variant = under_test.variant({step});
    EXPECT_THAT(variant.text, HasSubstr("__shfl_down"));
    EXPECT_EQ(barriers(variant.text), 4U);
    EXPECT_EQ(variant.launch.conditions.size(), 3U);
    under_test.run_alike(variant, {run_of(type)}, type == std::string("double") ? 1e-6 : 0);
  }
}

TEST(WaveScan, TakesStridesThatGrowAndElementsThatAreMoreThanWorkItems) {
  auto growing = kernel(
      sum_of_rows("int", "s[2 * w * t] += s[2 * w * t + w]", "for (int w = 1; w < 256; w *= 2)"));
  EXPECT_THAT(growing.refusal({step}), Not("")) << "work-items beyond the array";
  const std::string source =
      "__global__ void k(const int* in, int* out, int n) {\n  extern __shared__ int s[];\n"
      "  int* const part = s;\n  const unsigned t = threadIdx.x;\n"
      "  if (blockIdx.x == 7) return;\n"
      "  for (int i = t; i < 700; i += 100) part[i] = in[i];\n  __syncthreads();\n"
      "  for (unsigned w = 1; w < 700; w *= 2) {\n"
      "    for (unsigned i = 2 * w * t; i + w < 700; i += 2 * w * 100) part[i] += part[i + w];\n"
      "    __syncthreads();\n  }\n  if (t == 0) out[blockIdx.x] = part[0];\n}\n";
  SeenLaunch hundred = launch({3, 1, 1}, {100, 1, 1}, {4096, 8192, 256});
  hundred.launch.dynamic_lds = 2800;
  auto under_test = kernel(source, hundred);
  under_test.run_alike(under_test.variant({step}),
                       {{hundred, "buffer<int>(0, 700, -99, 99), buffer<int>(1, 3, 0, 1), 9"}});
}

TEST(WaveScan, ScansOfManyWavesScanTheirTotalsToo) {
  const SeenLaunch large = launch({3, 1, 1}, {1024, 1, 1}, {4096, 8192, 1024});
  const std::string source =
      "__global__ void k(const int* in, int* out, int n) {\n  __shared__ int s[1024];\n"
      "  const int t = threadIdx.x;\n  s[t] = in[blockIdx.x * n + t];\n  __syncthreads();\n"
      "  for (int d = 1; d < n; d *= 2) {\n    const int sum = t >= d ? max(s[t], s[t - d]) : s[t];"
      "\n    __syncthreads();\n    s[t] = sum;\n    __syncthreads();\n  }\n"
      "  out[blockIdx.x * n + t] = s[t];\n}\n";
  auto under_test = kernel(source, large);
  const Variant variant = under_test.variant({step});
  EXPECT_THAT(variant.launch.conditions, ::testing::Contains(support::Condition{
                                             support::Condition::Kind::argument_equals, 2, 1024}));
  under_test.run_alike(variant, {{large,
                                  "buffer<int>(0, 3072, -99999, 99999), buffer<int>(1, 3072, 0, "
                                  "1), 1024"}});
}

// The least and the greatest as programs write them who know no min and max.
TEST(WaveScan, TakesChoicesOfTheLesserAndTheGreater) {
  for (const std::string& combine :
       {"s[t] = s[t] > s[t + w] ? s[t] : s[t + w]", "s[t] = s[t] <= s[t + w] ? s[t] : s[t + w]",
        "s[t] = (s[t + w] < s[t]) ? s[t] : s[t + w]",
        "{ const int a = s[t], b = s[t + w]; s[t] = a > b ? a : b; }",
        "if (s[t] < s[t + w]) s[t] = s[t + w]", "if (s[t + w] <= s[t]) { s[t] = s[t + w]; }"}) {
    auto under_test = kernel(sum_of_rows("int", combine));
    const Variant variant = under_test.variant({step});
    EXPECT_THAT(variant.text, HasSubstr("__shfl_down")) << combine;
    under_test.run_alike(variant, {run_of("int", 256, "-99999, 99999")});
  }
  std::string both = sum_of_rows("unsigned", "s[t] = s[t + w]");
  const std::string branch = "if (t < w) s[t]";
  both.replace(both.find(branch), branch.size(), "if (t < w && s[t] < s[t + w]) s[t]");
  auto joined = kernel(both);
  joined.run_alike(joined.variant({step}), {run_of("unsigned", 256, "0, 4000000000")});
  const std::string scanned =
      "  for (int d = 1; d < 256; d *= 2) {\n    const int left = t >= d ? s[t - d] : s[t];\n"
      "    __syncthreads();\n    s[t] = left < s[t] ? left : s[t];\n    __syncthreads();\n  }\n";
  auto scans = kernel(scan("int", scanned));
  scans.run_alike(scans.variant({step}), {run_of("int", 256, "-99999, 99999")});
}

std::string refusal(const std::string& source);

TEST(WaveScan, RefusesChoicesThatAreNeitherTheLesserNorTheGreater) {
  const auto refused = [](const std::string& type, const std::string& combine) {
    return refusal(sum_of_rows(type, combine));
  };
  const std::string memory = "depends on what is in memory";
  EXPECT_THAT(refused("int", "s[t] = s[t] > 3 ? s[t] : s[t + w]"), Not(""));
  EXPECT_THAT(refused("int", "s[t] = s[t] > s[t + w] ? s[t] : s[t + 2 * w - 1]"),
              HasSubstr(memory));
  EXPECT_THAT(refused("int", "s[t] = s[t] > s[t + w] ? s[t] + s[t + w] : s[t]"), Not(""));
  EXPECT_THAT(refused("int", "if (s[t] < s[t + w]) s[t] = t"), HasSubstr(memory));
  EXPECT_THAT(
      refused("int", "s[t] = w > 4 ? (s[t] > s[t + w] ? s[t] : s[t + w]) : s[t] + s[t + w]"),
      HasSubstr("several ways"));
  EXPECT_THAT(refused("float", "s[t] = s[t] > s[t + w] ? s[t] : s[t + w]"), HasSubstr("NaN"));
}

std::string refusal(const std::string& source) { return kernel(source).refusal({step}); }

TEST(WaveScan, RefusesWhatLeavesSomethingElse) {
  const std::string no_scan = "no scan and no reduction";
  const auto rounds = [](const std::string& body) {
    return "  for (int d = 1; d < 256; d *= 2) {\n" + body + "\n    __syncthreads();\n  }\n";
  };
  const std::string add = "int x = t >= d ? s[t - d] : 0; __syncthreads(); s[t] += x;";
  EXPECT_EQ(refusal(scan("int", rounds(add))), "");
  EXPECT_THAT(
      refusal(scan("int", "for (int d = 1; d < 128; d *= 2) {" + add + " __syncthreads(); }")),
      HasSubstr(no_scan));
  EXPECT_THAT(refusal(scan("int", rounds("int x = t >= d ? s[t - d] : 1; __syncthreads(); "
                                         "s[t] += x;"))),
              HasSubstr("with numbers"));
  EXPECT_THAT(refusal(scan("int", rounds("int x = t >= d ? s[t - d] : 0; __syncthreads(); "
                                         "s[t] -= x;"))),
              HasSubstr("not summed up"));
  EXPECT_THAT(refusal(scan("int", rounds("int x = t >= d ? s[t - d] : 0; __syncthreads(); "
                                         "if (d < 4) s[t] += x; else s[t] |= x;"))),
              HasSubstr("several ways"));
  EXPECT_THAT(refusal(scan("int", rounds("int x = s[(t + d) % 256]; __syncthreads(); s[t] += x;"))),
              HasSubstr(no_scan))
      << "all in each";
  EXPECT_THAT(refusal(scan("int", rounds("if (t < 128 / d) s[t] += s[t + 128 / d];"))),
              HasSubstr(no_scan))
      << "the other elements are stored, too";
}

TEST(WaveScan, RefusesRacesAndWhatItCannotFollow) {
  const auto rounds = [](const std::string& body) {
    return "  for (int d = 1; d < 256; d *= 2) {\n" + body + "\n    __syncthreads();\n  }\n";
  };
  EXPECT_THAT(refusal(scan("int", rounds("if (t >= d) s[t] += s[t - d];"))), HasSubstr("race"));
  EXPECT_THAT(refusal(scan("int", rounds("int x = s[t]; __syncthreads(); if (x) s[t] = x;"))),
              HasSubstr("depends on what is in memory"));
  EXPECT_THAT(refusal(scan("int", rounds("s[t] += in[t];"))), HasSubstr("other memory"));
  EXPECT_THAT(refusal(scan("int", rounds("s[t] += atomicAdd(&out[0], 1);"))),
              HasSubstr("call functions"));
  EXPECT_THAT(refusal(scan("int", rounds("if (t < 64) __syncthreads();"))),
              HasSubstr("some work-items alone"));
  EXPECT_THAT(refusal(scan("int", "for (int d = 1; d < in[0]; d *= 2) { __syncthreads(); }")),
              HasSubstr("other memory"));
}

TEST(WaveScan, RefusesWhereWorkItemsMayBeMissing) {
  std::string source = scan("int", hillis_steele);
  const auto at = source.find("  for (int i = t");
  EXPECT_THAT(refusal(std::string(source).insert(at, "  if (t >= n) return;\n")),
              HasSubstr("may have returned"));
  EXPECT_EQ(refusal(std::string(source).insert(at, "  if (blockIdx.x >= n) return;\n")), "");
  auto rows = kernel(source, launch({3, 1, 1}, {128, 2, 1}, {4096, 8192, 256}));
  EXPECT_THAT(rows.refusal({step}), HasSubstr("several rows"));
}

TEST(WaveScan, RefusesSumsOfAnotherOrderThatDecide) {
  const std::string rounds =
      "  for (int d = 1; d < 256; d *= 2) {\n    float left = 0;\n"
      "    if (t >= d) left = s[t - d];\n    __syncthreads();\n    s[t] += left;\n"
      "    __syncthreads();\n  }\n";
  EXPECT_EQ(refusal(scan("float", rounds)), "");
  EXPECT_THAT(refusal(scan("float", rounds, 256, "s[i] > 3 ? 1 : 0")),
              HasSubstr("decide a comparison"));
}

TEST(WaveScan, RefusesReductionsWhoseOtherElementsAreReachedByPointers) {
  const auto reached = [](const std::string& before, const std::string& after) {
    return refusal(
        "__global__ void k(const int* in, int* out, int n) {\n  __shared__ int s[256];\n"
        "  const int t = threadIdx.x;\n  s[t] = in[t];\n" +
        before +
        "  __syncthreads();\n  for (int w = 128; w > 0; w /= 2) {\n"
        "    if (t < w) s[t] += s[t + w];\n    __syncthreads();\n  }\n" +
        after + "}\n");
  };
  const std::string other = "no scan and no reduction";
  EXPECT_EQ(reached("  int* p = s;\n", "  if (t < 1) out[0] = p[t];\n"), "");
  EXPECT_THAT(reached("  int* p = s;\n", "  if (t < 2) out[t] = p[t];\n"), HasSubstr(other));
  EXPECT_THAT(reached("  int* p = &s[0];\n", "  out[t] = p[t];\n"), HasSubstr(other));
  EXPECT_THAT(reached("  int* p = s;\n", "  p += t;\n  out[t] = *p;\n"), HasSubstr(other));
  EXPECT_THAT(reached("", "  int* p = s + t;\n  out[t] = *p + s[0];\n"), HasSubstr(other));
  EXPECT_THAT(reached("", "  out[t] = s[in[t]];\n"), HasSubstr(other));
}

TEST(WaveScan, RefusesDynamicLdsOfSeveralNames) {
  const auto dynamic = [](const std::string& other) {
    return refusal(
        "__global__ void k(const int* in, int* out, int n) {\n"
        "  extern __shared__ int s[];\n" +
        other + "  const int t = threadIdx.x;\n  s[t] = in[t];\n  __syncthreads();\n" +
        hillis_steele + "  out[t] = s[t];\n}\n");
  };
  EXPECT_EQ(dynamic(""), "");
  EXPECT_THAT(dynamic("  extern __shared__ float f[];\n  f[n] = 1;\n"),
              HasSubstr("no scan and no reduction"));
}

TEST(WaveScan, InALoopTheNextRoundsMustNotFindWhatIsLeft) {
  std::string source = sum_of_rows("int", "s[t] += s[t + w]");
  EXPECT_EQ(refusal(source), "");
  const auto at = source.find("s[t] = in");
  source.insert(at, "if (t < n) ");
  EXPECT_THAT(refusal(source), HasSubstr("no scan and no reduction"));
}

}  // namespace
}  // namespace geak::clang_tool::transforms::testing
