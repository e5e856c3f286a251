#include <gmock/gmock.h>

#include "harness.h"

namespace geak::clang_tool::transforms::testing {
namespace {
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const RecipeStep step{"inline_calls", nlohmann::json::object()};

// Names that mean another thing in the kernel; out-parameters; early returns; a template; a
// default.
const std::string shapes = R"(
namespace shape {
constexpr float scale = 3.0f;
struct Box { float low, high; };
__device__ inline float half(float v) { return v / 2; }
template <typename T, int N>
__device__ T power(T v) {
  T r = 1;
  for (int i = 0; i < N; ++i) r *= v;
  return r;
}
__device__ inline bool inside(const float* at, Box box, float* where, int& count, int step = 2) {
  if (at[0] < box.low) return false;
  count += step;
  if (at[0] > box.high) {
    count = -count;
    return false;
  }
  const float i = half(box.high - box.low);
  *where = (at[0] - box.low) / i * scale + power<float, 3>(at[1]);
  return *where > 1;
}
}  // namespace shape
__global__ void sort_out(const float* at, float* out, int* counts, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float scale = 100;
  float where = scale;
  int count = i % 3;
  if (shape::inside(at + i * 2, {0.25f, 0.75f}, &where, count)) {
    out[i] = where;
  } else if (!shape::inside(at + i * 2, shape::Box{0.0f, 0.5f}, &where, count, 7) && n > 3)
    out[i] = -where;
  counts[i] = count;
}
)";

TEST(InlineCalls, PutsTheTextInPlaceOfTheCall) {
  KernelUnderTest kernel(shapes, "sort_out");
  const std::string text = kernel.text({step});
  // The second call may only be made where the first gave false.
  EXPECT_THAT(text, AllOf(HasSubstr("bool geak_i0;"), HasSubstr("bool geak_i1;")));
  EXPECT_THAT(text, HasSubstr("int geak_i0_step = (2);"));
  EXPECT_THAT(text, HasSubstr("count += geak_i0_step;"));
  EXPECT_THAT(text, HasSubstr("::shape::scale + ::shape::power<float, 3>(geak_i0_at[1])"));
  EXPECT_THAT(text, HasSubstr("geak_i0 = ( where > 1);"));
}

const std::string sort_out_main = R"(
int main() {
  const int n = 1000;
  std::vector<float> at(2 * n);
  for (int i = 0; i < 2 * n; ++i) at[i] = (i * 37 % 101) / 100.0f;
  const float* given = on_device(at);
  const std::vector<float> nothing(n, -5);
  const std::vector<int> none(n, -5);
  float *a = on_device(nothing), *b = on_device(nothing);
  int *counts_a = on_device(none), *counts_b = on_device(none);
  sort_out<<<4, 256>>>(given, a, counts_a, n);
  VARIANT<<<4, 256>>>(given, b, counts_b, n);
  return same(a, b, n) && same(counts_a, counts_b, n) ? 0 : 1;
})";

TEST(InlineCalls, ComputesTheSame) {
  KernelUnderTest kernel(shapes, "sort_out");
  kernel.run(kernel.variant({step}), sort_out_main);
}

TEST(InlineCalls, TakesWhatTheTextCallsInItsTurn) {
  KernelUnderTest kernel(shapes, "sort_out");
  const Variant variant = kernel.variant({step, step});
  EXPECT_THAT(variant.text, AllOf(Not(HasSubstr("power")), Not(HasSubstr("::half"))));
  EXPECT_THAT(variant.text, HasSubstr("< ((int)3ll); ++"));
  kernel.run(variant, sort_out_main);
}

std::string refusal(const std::string& functions, const std::string& body) {
  return KernelUnderTest(functions +
                             "\n__global__ void k(float* a, float* b, int n) {\n"
                             "  const int i = threadIdx.x;\n  float x = 1;\n" +
                             body + "\n}",
                         "k")
      .refusal({step});
}

const std::string twice = "__device__ float twice(float v) { return 2 * v; }\n";
const std::string bump = "__device__ float bump(float* v) { *v += 1; return *v; }\n";

TEST(InlineCalls, TakesCallsThatComeFirst) {
  EXPECT_THAT(refusal(twice, "b[i] = twice(a[i]) + twice(b[i]);"), IsEmpty());
  EXPECT_THAT(refusal(twice, "for (int k = 0; k < n; ++k) b[k] += twice(a[k]);"), IsEmpty());
  EXPECT_THAT(refusal(bump, "b[i] = bump(a + i);"), IsEmpty());
  EXPECT_THAT(refusal(bump, "const float y = bump(&x); b[i] = x + y;"), IsEmpty());
}

TEST(InlineCalls, RefusesCallsThatMayNotBeMadeFirst) {
  const auto refuses = HasSubstr("no call stands where");
  EXPECT_THAT(refusal(bump, "if (n > 3 && bump(a) > 0) b[i] = 1;"), refuses);
  EXPECT_THAT(refusal(bump, "b[i] = n > 3 ? bump(a) : 0;"), refuses);
  EXPECT_THAT(refusal(bump, "b[i] = x + bump(&x);"), refuses);
  EXPECT_THAT(refusal(bump, "b[i] = a[0] + bump(a);"), refuses);
  EXPECT_THAT(refusal(bump, "b[i] = bump(a) + bump(a);"), refuses);
  EXPECT_THAT(refusal(bump, "b[i++ + n] = bump(a);"), HasSubstr("not valid"));
  EXPECT_THAT(refusal(twice, "while (twice(x) < n) x += 1; b[i] = x;"), refuses);
  EXPECT_THAT(refusal(twice, "for (; twice(x) < n;) x += 1; b[i] = x;"), refuses);
  EXPECT_THAT(refusal(twice, "b[i] = sizeof(twice(x));"), refuses);
}

TEST(InlineCalls, RefusesFunctionsWhoseTextCannotStandElsewhere) {
  const auto with = [](const std::string& function) {
    return refusal(function, "b[i] = f(a[i]);");
  };
  EXPECT_THAT(with("__device__ float f(float v) { return v < 1 ? v : f(v / 2); }"),
              HasSubstr("calls no function"));
  EXPECT_THAT(with("__device__ float f(float v);"), HasSubstr("calls no function"));
  EXPECT_THAT(with("__device__ float f(float v) { static int c = 0; return v + c; }"),
              HasSubstr("has a local"));
  EXPECT_THAT(with("#define TWO 2\n__device__ float f(float v) { return v * TWO; }"),
              HasSubstr("may be a macro"));
  EXPECT_THAT(
      with("__device__ float f(float v) {\n#if 1\n return v;\n#else\n return 2;\n#endif\n}"),
      HasSubstr("preprocessor"));
  EXPECT_THAT(with("__device__ float f(float v) { for (int i = 0; i < 9; ++i) { v *= v; if (v > 3) "
                   "return v; } return 0; }"),
              HasSubstr("from within a loop"));
  EXPECT_THAT(with("__device__ float g(double v) { return v; }\n"
                   "__device__ float f(float v) { return g(v); }\n"
                   "__device__ float g(float v) { return 2 * v; }"),
              HasSubstr("of the same name"));
  EXPECT_THAT(with("__device__ float f(float v) { auto g = [=] { return v; }; return g(); }"),
              HasSubstr("cannot be"));
  EXPECT_THAT(with("#define f(v) h(2 * (v))\n__device__ float h(float v) { return v; }"),
              HasSubstr("macro"));
}

TEST(InlineCalls, TakesWhatIsStoredInAClass) {
  const std::string scaled = "__device__ float scaled(float v) { return v / (2 + v); }\n";
  KernelUnderTest kernel("#include <hip/hip_bfloat16.h>\n" + scaled +
                             "__global__ void k(hip_bfloat16* b, const hip_bfloat16* a) {\n"
                             "  const int i = threadIdx.x;\n"
                             "  b[i] = hip_bfloat16(scaled(float(a[i])) * float(a[i + 1]));\n}",
                         "k");
  EXPECT_THAT(kernel.text({step}), HasSubstr("b[i] = hip_bfloat16(geak_i0 * float(a[i + 1]));"));
  EXPECT_THAT(kernel.text({step, {"fast_math", {{"divisions", true}}}}), HasSubstr("__fdividef"));
  EXPECT_THAT(
      refusal("struct Counted { int at; __device__ Counted& operator=(const Counted& o) {\n"
              "  at += o.at; return *this; } };\n__device__ Counted counted(const float* a) "
              "{ return {int(a[0])}; }\n" +
                  scaled,
              "Counted c{}; c = counted(a + int(scaled(a[i]))); b[i] = c.at;"),
      HasSubstr("no call stands"));
}

TEST(InlineCalls, LeavesANestedReturnByItsBlock) {
  KernelUnderTest kernel(
      "__device__ void clip(float* v, int n) {\n  if (n > 2) {\n    if (*v < 0) return;\n"
      "    *v = -*v;\n  }\n  *v *= 2;\n}\n"
      "__global__ void k(float* a, int n) {\n  float x = a[threadIdx.x];\n  clip(&x, n);\n"
      "  a[threadIdx.x] = x;\n}",
      "k");
  const Variant variant = kernel.variant({step});
  EXPECT_THAT(variant.text, HasSubstr("if (x < 0) { break; }"));
  kernel.run(variant, R"(
int main() {
  std::vector<float> values(64);
  for (int i = 0; i < 64; ++i) values[i] = i % 7 - 3;
  bool equal = true;
  for (int n : {1, 3}) {
    float *a = on_device(values), *b = on_device(values);
    k<<<1, 64>>>(a, n);
    VARIANT<<<1, 64>>>(b, n);
    equal = equal && same(a, b, 64);
  }
  return equal ? 0 : 1;
})");
}

TEST(InlineCalls, NamesTheFunctionsThatAreTemplateArguments) {
  KernelUnderTest kernel(
      "namespace act {\ntemplate <typename T> __device__ inline T twice(const T& x) { return x + "
      "x; }\n"
      "__device__ inline float less(const float& x) { return x - 1; }\n"
      "template <typename T, T (*F)(const T&), T (*G)(const T&), int N>\n"
      "__device__ inline T both(const T& x) { const T y = F(x); const T z = G(y); return z * N; "
      "}\n}\n"
      "__global__ void k(float* out, const float* in) {\n  const int i = threadIdx.x;\n"
      "  out[i] = act::both<float, act::twice<float>, act::less, 3>(in[i]);\n}",
      "k");
  const std::string once = kernel.text({step});
  EXPECT_THAT(once,
              AllOf(HasSubstr("= ::act::twice<float>(geak_i0_x)"), HasSubstr("= ::act::less(")));
  // Their own text comes next.
  const Variant variant = kernel.variant({step, step});
  EXPECT_THAT(variant.text, Not(HasSubstr("twice")));
  kernel.run_alike(variant, {{launch({1, 1, 1}, {64, 1, 1}),
                              "buffer<float>(0, 64, -4, 4), buffer<float>(1, 64, -4, 4)"}});
}

}  // namespace
}  // namespace geak::clang_tool::transforms::testing
