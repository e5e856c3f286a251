#include <gmock/gmock.h>

#include "harness.h"

namespace geak::clang_tool::transforms::testing {
namespace {
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const RecipeStep step{"batch_rounds", {{"rounds", 4}}};

/// A kernel around one loop, over pointers that may overlap.
KernelUnderTest around(const std::string& loop) {
  return KernelUnderTest(
      "__global__ void k(float* a, const float* b, const int* where, float* out, int n) {\n"
      "  __shared__ int bins[64];\n  bins[threadIdx.x % 64] = 0;\n"
      "  float s = 0;\n  int chosen = 0;\n" +
          loop + "\n  out[threadIdx.x] = s + chosen + bins[0];\n}",
      "k");
}
std::string refusal(const std::string& loop) { return around(loop).refusal({step}); }

TEST(BatchRounds, ReadsAheadOfStoresToOtherArraysAndToTheRoundsOwnElement) {
  auto kernel = around(
      "for (int k = threadIdx.x; k < n; k += 256) {\n    const float d = fminf(b[k * 2 + 1], "
      "a[k]);\n"
      "    a[k] = d;\n    if (d > s) {\n      s = d;\n      chosen = k;\n    }\n  }");
  const Variant variant = kernel.variant({step});
  EXPECT_THAT(variant.text,
              HasSubstr("(unsigned)(n) - (unsigned)(geak_batch0) > (unsigned)(3u) * 256u"));
  EXPECT_THAT(variant.text, HasSubstr("geak_ahead0_0[geak_round0] = b[k * 2 + 1];"));
  EXPECT_THAT(variant.text, HasSubstr("geak_ahead0_1[geak_round0] = a[k];"));
  EXPECT_THAT(variant.text,
              HasSubstr("fminf(geak_ahead0_0[geak_round0], geak_ahead0_1[geak_round0])"));
  EXPECT_THAT(variant.text, HasSubstr("a[k] = d;"));
  EXPECT_THAT(variant.guard, HasSubstr("geak_swap::apart(a, b)"));
  EXPECT_THAT(variant.guard, Not(HasSubstr("out"))) << "the loop does not store to it";
}

TEST(BatchRounds, TakesLoopsInStepsOfTheGrid) {
  const std::string head = "__global__ void sums(const float* a, float* out, ";
  const auto body = [](const std::string& type, const std::string& step) {
    return " n) {\n  float s = 0;\n  for (" + type +
           " i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += " + step +
           ") s += a[i] * s + a[i];\n  out[blockIdx.x * blockDim.x + threadIdx.x] = s;\n}";
  };
  const std::vector<std::pair<std::string, std::string>> loops = {
      {"int", "blockDim.x * gridDim.x"},
      {"unsigned", "(gridDim.x << 6)"},
      {"size_t", "size_t(blockDim.x) * gridDim.x"}};
  for (const auto& [type, grid] : loops) {
    KernelUnderTest kernel(head + type + body(type, grid), "sums");
    const Variant variant = kernel.variant({step});
    EXPECT_THAT(variant.text, HasSubstr("> geak_reach0; geak_batch0 += 4 * geak_stride0)"));
    std::vector<SampleRun> runs;
    for (const std::string n : {"3000", "1", "512", "513", "640"})
      runs.push_back({launch({2, 1, 1}, {64, 1, 1}),
                      "buffer<float>(0, 3000, -1, 1), buffer<float>(1, 128, 0, 0), " + n});
    kernel.run_alike(variant, runs);
  }
  // What changes within the loop, or would compare numbers of two kinds.
  const auto why = [&](const std::string& loop) { return refusal(loop); };
  EXPECT_THAT(why("for (int k = threadIdx.x; k < n; k += chosen) { chosen += 2; s += b[k]; }"),
              Not(IsEmpty()));
  EXPECT_THAT(why("for (int k = threadIdx.x; k < n; k += where[0]) s += b[k];"), Not(IsEmpty()));
  EXPECT_THAT(why("for (unsigned k = threadIdx.x; k < n; k += blockDim.x) s += b[k];"),
              HasSubstr("of another type"));
}

TEST(BatchRounds, FollowsAddressesThroughTheRoundsOwnVariables) {
  auto kernel = around(
      "for (int i = 0; i < n; ++i) {\n    const int row = where[i];\n    const float v = b[row];\n"
      "    atomicAdd(&bins[where[n + i] & 63], 1);\n    if (v > s) s = v;\n  }");
  const Variant variant = kernel.variant({step});
  EXPECT_THAT(variant.text, HasSubstr("const int row = geak_ahead0_0[geak_round0];"));
  EXPECT_THAT(variant.text, HasSubstr("geak_ahead0_1[geak_round0] = b[row];"));
  EXPECT_THAT(variant.text, HasSubstr("[geak_round0] = where[n + i];"));
  EXPECT_THAT(variant.guard, IsEmpty());
}

TEST(BatchRounds, ReadsConditionsAheadButNotWhatStandsUnderThem) {
  auto kernel = around(
      "for (int i = 0; i < n; ++i)\n    if (b[i] > 0 && a[i] < 9) { s += b[i + n]; continue; }");
  const std::string text = kernel.text({step});
  EXPECT_THAT(text, HasSubstr("geak_ahead0_0[geak_round0] = b[i];"));
  EXPECT_THAT(text, HasSubstr("geak_ahead0_0[geak_round0] > 0 && a[i] < 9"));
  EXPECT_THAT(text, Not(HasSubstr("geak_ahead0_1")));
}

TEST(BatchRounds, ReadsMembersOfElements) {
  KernelUnderTest kernel(
      "struct Body { float mass; int kind; };\n"
      "__global__ void heaviest(const Body* bodies, float* best, int n) {\n  float most = 0;\n"
      "  for (unsigned long long i = threadIdx.x; i < n; i += 64)\n"
      "    if (bodies[i].mass > most) most = bodies[i].mass;\n  best[threadIdx.x] = most;\n}",
      "heaviest");
  EXPECT_THAT(kernel.refusal({step}), HasSubstr("another type")) << "n may be negative";
  KernelUnderTest plain(
      "struct Body { float mass; int kind; };\n"
      "__global__ void heaviest(const Body* bodies, float* best, unsigned n) {\n  float most = 0;\n"
      "  for (unsigned long long i = threadIdx.x; i < n; i += 64)\n"
      "    if (bodies[i].mass > most) most = bodies[i].mass;\n  best[threadIdx.x] = most;\n}",
      "heaviest");
  EXPECT_THAT(plain.text({step}), HasSubstr("float geak_ahead0_0[4];"));
}

TEST(BatchRounds, LeavesReadsWhereAStoreMayReachThem) {
  auto kernel = around("for (int i = 1; i < n; ++i) { s += a[i]; a[where[i]] = 1; }");
  const std::string text = kernel.text({step});
  EXPECT_THAT(text, HasSubstr("{ s += a[i]; a[geak_ahead0_0[geak_round0]] = 1; }"));
}

TEST(BatchRounds, RefusesReadsThatAnEarlierRoundDecides) {
  const std::string none = "every read depends on";
  EXPECT_EQ(refusal("for (int i = 0; i < n; ++i) s += b[i];"), "");
  EXPECT_THAT(refusal("for (int i = 0; i < n; ++i) { s += b[chosen]; chosen = i; }"),
              HasSubstr(none));
  EXPECT_THAT(refusal("for (int i = 0; i < n; ++i) chosen = where[chosen];"), HasSubstr(none));
  EXPECT_THAT(refusal("for (int i = 1; i < n; ++i) a[i] = a[i - 1] + 1;"), HasSubstr(none));
  EXPECT_THAT(refusal("for (int i = 1; i < n; ++i) { a[i] = 1; s += a[i]; }"), HasSubstr(none));
  EXPECT_THAT(refusal("for (int i = 1; i < n; ++i) { s += a[i / 2]; a[i / 2] = 1; }"),
              HasSubstr(none));
  EXPECT_THAT(refusal("for (int i = 0; i < n; ++i) if (i > 3) s += b[i];"), HasSubstr(none));
  EXPECT_THAT(refusal("for (int i = 0; i < n; ++i) { if (i == 3) continue; s += b[i]; }"),
              HasSubstr(none));
  EXPECT_THAT(refusal("for (int i = 0; i < n; ++i) { int j = i; ++j; s += b[j]; }"),
              HasSubstr(none));
}

TEST(BatchRounds, RefusesLoopsThatMayEndOrMeetOthers) {
  EXPECT_THAT(refusal("for (int i = 0; i < n; ++i) { s += b[i]; if (s > 9) break; }"),
              HasSubstr("left from within"));
  EXPECT_THAT(refusal("for (int i = 0; i < n; ++i) { s += b[i]; __syncthreads(); }"),
              HasSubstr("wait for each other"));
  EXPECT_THAT(refusal("for (int i = 0; i < n; ++i) { s += b[i]; __threadfence(); }"),
              HasSubstr("not plain"));
  EXPECT_THAT(refusal("for (int i = 0; i < n; ++i) { s += b[i]; n -= 1; }"),
              HasSubstr("end may change"));
  EXPECT_THAT(refusal("for (int i = 0; i < where[0]; ++i) { s += b[i]; }"),
              HasSubstr("end may change"));
  EXPECT_THAT(refusal("for (int i = 0; i < n; ++i) { s += b[i]; atomicAdd(&a[0], 1.0f); }"),
              HasSubstr("not plain"));
  EXPECT_THAT(refusal("for (int i = 0; i < n; ++i) { s += b[i]; float* p = a + i; p[n] = s; }"),
              IsEmpty());  // stores through a pointer of known origin
  EXPECT_THAT(refusal("for (int i = 0; i < n; ++i) { s += *(volatile const float*)(b + i); }"),
              HasSubstr("stand twice"));
  EXPECT_THAT(refusal("for (int i = 0; i < 3; ++i) s += b[i];"), HasSubstr("fewer rounds"));
  EXPECT_THAT(refusal("for (int i = 0; i < n; i += 2000000000) s += b[i];"),
              HasSubstr("steps too wide"));
}

// What is added to the round's number may lead two rounds to one element.
TEST(BatchRounds, ElementsAreARoundsOwnOnlyAtADistanceThatStays) {
  const std::string none = "every read depends on";
  EXPECT_THAT(refusal("for (int i = 0; i < n; ++i) { int k = n - i; a[i + k] = a[i + k] * 2; }"),
              HasSubstr(none));
  EXPECT_THAT(refusal("for (int i = 0; i < n; ++i) { float* p = a - i; p[i] = p[i] * 2 + 1; }"),
              HasSubstr(none));
  EXPECT_THAT(refusal("for (int i = 0; i < n; ++i) { int k = n + 2; a[i + k] = a[i + k] * 2; }"),
              IsEmpty());
  KernelUnderTest kernel(
      "__global__ void at(float* a, const int* where, int n) {\n"
      "  for (int i = 0; i < n; ++i) {\n    const int k = where[i];\n"
      "    a[i + k] = a[i + k] * 0.5f + where[i + 1];\n  }\n}",
      "at");
  const Variant variant = kernel.variant({step});
  EXPECT_THAT(variant.text, Not(HasSubstr("[geak_round0] = a[")));
  kernel.run_alike(variant, {{launch({1, 1, 1}, {1, 1, 1}),
                              "buffer<float>(0, 80, -1, 1), buffer<int>(1, 50, 0, 5), 40"}});
}

// What reads a half gets a reference to it: an operator, a conversion, a copy.
TEST(BatchRounds, ReadsHalvesAndVectorsAhead) {
  const std::string text =
      "#include <hip/hip_bfloat16.h>\n#include <hip/hip_fp16.h>\n"
      "__global__ void dots(const __half* a, const hip_bfloat16* b, const float4* c, __half* "
      "sums,\n"
      "                     float* out, int n) {\n  float s = 0;\n  __half h(0.0f);\n"
      "  for (int i = 0; i < n; ++i) {\n    const float4 v = c[i];\n"
      "    s += (float)a[threadIdx.x * n + i] * float(b[i]) + v.x * v.w;\n"
      "    h += a[i];\n  }\n  out[threadIdx.x] = s;\n  sums[threadIdx.x] = h;\n}";
  KernelUnderTest kernel(text, "dots");
  const Variant variant = kernel.variant({step});
  for (const char* part : {"__half geak_ahead0_", "hip_bfloat16 geak_ahead0_",
                           "HIP_vector_type<float, 4> geak_ahead0_", "h += geak_ahead0_"})
    EXPECT_THAT(variant.text, HasSubstr(part));
  const SeenLaunch seen = launch({1, 1, 1}, {64, 1, 1});
  std::vector<SampleRun> runs;
  for (const std::string n : {"0", "3", "17"})
    runs.push_back({seen,
                    "buffer<__half>(0, 1100, -1, 1), buffer<hip_bfloat16>(1, 20, -1, 1), "
                    "(float4*)buffer<float>(2, 80, -1, 1), buffer<__half>(3, 64, 0, 1), "
                    "buffer<float>(4, 64, 0, 1), " +
                        n});
  kernel.run_alike(variant, runs, 1e-5);
}

TEST(BatchRounds, LeavesElementsOfClassesThatTheRoundChanges) {
  const auto refused = [](const std::string& loop) {
    return KernelUnderTest(
               "#include <hip/hip_fp16.h>\n__global__ void k(__half* a, float* out, int n) {\n"
               "  float s = 0;\n  for (int i = 0; i < n; ++i) {\n    " +
                   loop + "\n  }\n  out[threadIdx.x] = s;\n}",
               "k")
        .refusal({step});
  };
  EXPECT_THAT(refused("a[i] += a[i + 1]; s += 1;"), Not(IsEmpty()));
  EXPECT_THAT(refused("a[i + 1] = a[i];"), Not(IsEmpty()));
  EXPECT_THAT(refused("__half& at = a[i]; at = __half(s); s += float(a[i]);"), Not(IsEmpty()));
}

}  // namespace
}  // namespace geak::clang_tool::transforms::testing
