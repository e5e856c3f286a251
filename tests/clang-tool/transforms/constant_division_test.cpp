#include <gmock/gmock.h>

#include <random>

#include "harness.h"

namespace geak::clang_tool::transforms::testing {
namespace {
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

RecipeStep by(bool shifts, bool reciprocals) {
  return {"constant_division", {{"powers_of_two", shifts}, {"others", reciprocals}}};
}

// Every quotient and rest of numerators by each divisor, a launch for each of these.
std::string all_by(const std::string& type) {
  return "__global__ void divide(" + type + "* q, " + type + "* r, const " + type +
         "* n, int count, " + type +
         " d) {\n  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
         "  if (i >= count) return;\n  q[i] = n[i] / d;\n  r[i] = n[i] % d;\n}";
}

/// A program that compares the variant to the host's division: numerators around the ends of the
/// type and around multiples of each divisor, and pseudo-random ones.
std::string compare_all(const std::string& type, const std::string& divisors) {
  return "#include <cstdio>\n#include <limits>\n#include <random>\nint main() {\n  using T = " +
         type + ";\n  std::mt19937_64 random(7);\n  std::vector<T> divisors = " + divisors +
         R"(;
  const long long least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
  for (const T d : divisors) {
    std::vector<T> n;
    const auto add = [&](long long value) {
      if (value >= least && value <= most && !(d == T(-1) && value == least && least < 0))
        n.push_back(T(value));
    };
    for (long long near = -3; near <= 3; ++near) {
      for (const long long end : {least, most, 0ll, 1ll << 31, 1ll << 24, 1ll << 16}) add(end + near);
      for (int k = 0; k < 1000; ++k) {
        const long long whole = most / (long long)d;
        const long long multiple = whole == 0 ? 0 : (long long)(random() % 0x7fffffffffffull) % whole;
        add(multiple * (long long)d + near);
        add(-multiple * (long long)d + near);
        add((whole - k) * (long long)d + near);
      }
    }
    for (int k = 0; k < 20000; ++k) n.push_back(T(random()) == T(least) ? T(1) : T(random() >> 1));
    for (T& each : n)
      if (least < 0 && each == T(least) && d == T(-1)) each = 0;
    const int count = int(n.size());
    T *from = on_device(n), *q = on_device(n), *r = on_device(n);
    VARIANT<<<(count + 255) / 256, 256>>>(q, r, from, count, d);
    std::vector<T> quotients(n.size()), rests(n.size());
    if (hipMemcpy(quotients.data(), q, n.size() * sizeof(T), hipMemcpyDefault) != hipSuccess ||
        hipMemcpy(rests.data(), r, n.size() * sizeof(T), hipMemcpyDefault) != hipSuccess)
      return 3;
    for (int i = 0; i < count; ++i)
      if (quotients[i] != n[i] / d || rests[i] != n[i] % d) {
        std::fprintf(stderr, "%lld / %lld: %lld rest %lld\n", (long long)n[i], (long long)d,
                     (long long)quotients[i], (long long)rests[i]);
        return 1;
      }
    (void)hipFree(from), (void)hipFree(q), (void)hipFree(r);
  }
  return 0;
}
)";
}

const char* const unsigned_divisors =
    "{1u, 2u, 3u, 7u, 10u, 49u, 98u, 103u, 641u, 1000u, 4095u, 65535u, 65537u, 6700417u, "
    "0x7fffffffu, "
    "0x80000000u, 0x80000001u, 0xfffffffeu, 0xffffffffu}";
const char* const signed_divisors =
    "{1, 2, 3, 7, 49, 103, 641, 46341, 65537, 6700417, 0x3fffffff, 0x40000001, 0x7ffffffe, "
    "0x7fffffff, -1, "
    "-2, -3, -49, -641, -0x7fffffff, int(-0x7fffffff - 1)}";

TEST(ConstantDivision, ReciprocalsAreExactForEveryUnsignedNumerator) {
  KernelUnderTest kernel(all_by("unsigned"), "divide");
  const Variant variant = kernel.variant({by(false, true)});
  EXPECT_THAT(variant.text, AllOf(HasSubstr("geak_reciprocal0"), Not(HasSubstr(" / d")),
                                  Not(HasSubstr("% d")), Not(HasSubstr("reciprocal1"))));
  EXPECT_EQ(variant.guard, "");
  kernel.run(variant, compare_all("unsigned", unsigned_divisors));
}

TEST(ConstantDivision, ReciprocalsAreExactForEverySignedNumerator) {
  KernelUnderTest kernel(all_by("int"), "divide");
  const Variant variant = kernel.variant({by(false, true)});
  EXPECT_EQ(variant.guard, "");
  kernel.run(variant, compare_all("int", signed_divisors));
}

TEST(ConstantDivision, ShiftsAreExactForPowersOfTwo) {
  for (const char* type : {"unsigned", "int", "long", "unsigned long long"}) {
    KernelUnderTest kernel(all_by(type), "divide",
                           {launch({4, 1, 1}, {256, 1, 1}, {4096, 8192, 12288, 1000, 64})});
    const Variant variant = kernel.variant({by(true, false)});
    EXPECT_THAT(variant.text, AllOf(HasSubstr("geak_shift0"), Not(HasSubstr("reciprocal"))));
    EXPECT_THAT(variant.guard, AllOf(HasSubstr("(d) > 0"), HasSubstr("((d) & ((d) - 1)) == 0")));
    kernel.run(variant, compare_all(type, "{1, 2, 8, 64, 4096, 1 << 20, 1 << 30}"));
  }
}

// What the compiled program computes, for every numerator and divisor of 16 bits, and the largest
// numerators of 32 bits with every such divisor.
TEST(ConstantDivision, TheProductIsExactForEveryPairOf16Bits) {
  const auto quotient = [](double n, double reciprocal) {
    return static_cast<std::uint32_t>(n * reciprocal);
  };
  for (std::uint32_t d = 1; d < 65536; ++d) {
    const double reciprocal = 1.0000000000009094947017729282379150390625 / d;
    bool exact = true;
    for (std::uint32_t n = 0; n < 65536; n += 1 + d % 7) exact &= quotient(n, reciprocal) == n / d;
    for (std::uint32_t n = 0xffffffff; n > 0xffffffff - 2 * 64; --n)
      exact &= quotient(n, reciprocal) == n / d;
    const std::uint32_t last = 0xffffffff / d * d;
    for (const std::uint32_t n : {last, last - 1}) exact &= quotient(n, reciprocal) == n / d;
    ASSERT_TRUE(exact) << d;
  }
}

const std::string volume =
    "__global__ void warp(float* out, const float* in, int b, int c, int h, int w) {\n"
    "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i >= b * c * h * w) return;\n"
    "  const int plane = h * w;\n"
    "  const int x = i % w, y = i / w % h, ch = (i / plane) % c, image = i / (plane * c);\n"
    "  out[i] = in[((image * c + ch) * h + (h - 1 - y)) * w + (w - 1 - x)];\n}";

TEST(ConstantDivision, TakesANumberApart) {
  KernelUnderTest kernel(volume, "warp",
                         {launch({9, 1, 1}, {256, 1, 1}, {4096, 8192, 2, 3, 8, 45})});
  const Variant variant = kernel.variant({by(true, true)});
  EXPECT_THAT(variant.text, HasSubstr("const int geak_shift"));  // h
  EXPECT_THAT(variant.text, HasSubstr("geak_reciprocal"));
  EXPECT_THAT(variant.text, Not(HasSubstr(" >> 31")));  // i is no negative number
  EXPECT_THAT(variant.guard, HasSubstr("geak_grid.x"));
  const std::string memory = "buffer<float>(0, 2160, 0, 1), buffer<float>(1, 2160, 0, 1), ";
  kernel.run_alike(
      variant, {{launch({9, 1, 1}, {256, 1, 1}, {{}, {}, 2, 3, 8, 45}), memory + "2, 3, 8, 45"},
                {launch({9, 1, 1}, {256, 1, 1}, {{}, {}, 9, 3, 16, 5}), memory + "9, 3, 16, 5"}});
  // Reciprocals need no condition.
  EXPECT_EQ(kernel.variant({by(false, true)}).guard, "");
  const auto options = kernel.session().options();
  EXPECT_TRUE(std::ranges::any_of(
      options, [](const TransformOption& option) { return option.step == by(true, true); }));
}

TEST(ConstantDivision, ChangesVariablesInPlaceAndDividesBySizes) {
  KernelUnderTest kernel(
      "template <typename T>\n__global__ void spread(int* out, T rows, T columns) {\n"
      "  for (unsigned at = threadIdx.x; at < 3000; at += blockDim.x) {\n"
      "    unsigned rest = at - 7u;\n    const unsigned x = rest % columns;\n"
      "    rest /= columns;\n    const unsigned y = rest % rows;\n    rest /= rows;\n"
      "    int signed_place = 100 - int(at);\n    signed_place %= int(columns);\n"
      "    out[at] = int(x + 3 * y + 5 * rest + at / blockDim.x * 11) + signed_place;\n  }\n}\n"
      "void start(int* out) { spread<int><<<1, 64>>>(out, 4, 9); }",
      "spread", {launch({1, 1, 1}, {64, 1, 1}, {4096, 4, 9})}, {"int"});
  const Variant variant = kernel.variant({by(true, true)});
  EXPECT_THAT(variant.text, HasSubstr("(rest = "));
  EXPECT_THAT(variant.text, HasSubstr("(unsigned int)(blockDim.x)"));
  EXPECT_THAT(variant.text, HasSubstr("(signed_place = "));
  EXPECT_THAT(variant.text, HasSubstr("geak_mask"));
  // A later step may launch other sizes, of which no guard would speak.
  EXPECT_THAT(variant.guard, AllOf(HasSubstr("rows"), Not(HasSubstr("geak_block"))));
}

TEST(ConstantDivision, SizesOf64BitsAreDividedWhereTheNumeratorFits) {
  KernelUnderTest kernel(
      "__global__ void turn(float* out, const float* in, size_t rows, long columns) {\n"
      "  const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;\n"
      "  if (i >= rows * columns) return;\n"
      "  for (long k = 0; k < columns; k++) out[k % columns] = 0;\n"
      "  out[i % columns * rows + i / columns] = in[i];\n}",
      "turn", {launch({5, 1, 1}, {64, 1, 1}, {4096, 8192, 20, 15})});
  const Variant variant = kernel.variant({by(false, true)});
  EXPECT_THAT(variant.text, HasSubstr("(unsigned long)(unsigned)((double)(unsigned)"));
  EXPECT_THAT(variant.guard, AllOf(HasSubstr("<= 4294967295.0"), HasSubstr("(columns) > 0"),
                                   HasSubstr("geak_grid.x")));
  kernel.run_alike(variant, {{launch({5, 1, 1}, {64, 1, 1}, {{}, {}, 20, 15}),
                              "buffer<float>(0, 300, 0, 1), buffer<float>(1, 300, 0, 1), 20, 15"}});
}

TEST(ConstantDivision, ASecondStepTakesNamesOfItsOwn) {
  KernelUnderTest kernel(volume, "warp",
                         {launch({9, 1, 1}, {256, 1, 1}, {4096, 8192, 2, 3, 8, 45})});
  const Variant variant = kernel.variant({by(true, false), by(false, true)});
  EXPECT_THAT(variant.text, AllOf(HasSubstr("geak_shift0"), HasSubstr("geak_reciprocal2")));
}

TEST(ConstantDivision, TheDoublesStayDoubles) {
  KernelUnderTest kernel(
      "__global__ void k(float* a, int w) {\n  const int i = threadIdx.x;\n"
      "  a[i] = a[i] * 0.1 + i / w;\n}",
      "k");
  EXPECT_EQ(kernel.refusal({by(false, true)}), "");
  const RecipeStep single{"single_precision", nlohmann::json::object()};
  const std::string refused = kernel.refusal({by(false, true), single});
  EXPECT_NE(refused, "") << kernel.text({by(false, true), single});
}

std::string refusal(const std::string& body, bool shifts = true, bool others = true) {
  return KernelUnderTest(
             "__device__ int next(int* at) { return ++*at; }\n"
             "#define HALF(i) ((i) / n)\n"
             "__global__ void k(int* a, long long* b, int n, unsigned m, size_t s,"
             " long long l) {\n  const int i = threadIdx.x;\n" +
                 body + "\n}",
             "k", {launch({1, 1, 1}, {64, 1, 1}, {4096, 8192, 6, 8, 7, 9})})
      .refusal({by(shifts, others)});
}

TEST(ConstantDivision, RefusesDivisorsThatAreNotTheLaunchs) {
  EXPECT_EQ(refusal("a[i] = i / n;"), "");
  const auto nothing = HasSubstr("nothing is divided by a value of the launch");
  EXPECT_THAT(refusal("a[i] = i / a[0];"), nothing);
  EXPECT_THAT(refusal("a[i] = i / 3;"), nothing);
  EXPECT_THAT(refusal("a[i] = n / i;"), nothing);
  EXPECT_THAT(refusal("n += 1; a[i] = i / n;"), nothing);
  EXPECT_THAT(refusal("int w = n; w += i; a[i] = i / w;"), nothing);
  EXPECT_THAT(refusal("a[i] = i / (n + i);"), nothing);
  EXPECT_THAT(refusal("const float f = n; a[i] = a[i] / f;"), nothing);
  EXPECT_THAT(refusal("const auto f = [=](int v) { return v / n; }; a[i] = f(i);"), nothing);
}

// Worked out where the kernel begins, it would divide by zero where nothing asked for it.
TEST(ConstantDivision, LeavesDivisorsThatAreQuotients) {
  KernelUnderTest kernel(
      "__global__ void k(int* a, int n, int m) {\n  const int i = threadIdx.x;\n"
      "  if (m > 0) a[i] = i / (n / m);\n}",
      "k");
  EXPECT_THAT(kernel.text({by(false, true)}),
              AllOf(HasSubstr("a[i] = i / ("), HasSubstr("reciprocal0"), Not(HasSubstr("l1"))));
}

TEST(ConstantDivision, RefusesNumeratorsThatItCannotDivide) {
  EXPECT_THAT(refusal("a[i] = HALF(i);"), HasSubstr("macro"));
  EXPECT_THAT(refusal("a[i] = next(a) % n;"), HasSubstr("effects"));
  EXPECT_THAT(refusal("a[i] = a[0]++ % n;"), HasSubstr("effects"));
  EXPECT_EQ(refusal("a[i] = a[0]++ / n;"), "") << "it stands there once";
  EXPECT_THAT(refusal("a[next(a)] /= n;"), HasSubstr("effects"));
  EXPECT_THAT(refusal("b[i] = b[i] / s;"), HasSubstr("64 bits"));
  EXPECT_THAT(refusal("b[i] = b[i] % l;"), HasSubstr("64 bits"));
  EXPECT_THAT(refusal("b[i] = (i - 70ll) / l;"), HasSubstr("64 bits"));
  EXPECT_EQ(refusal("b[i] = i / l;"), "");
  EXPECT_THAT(refusal("a[i] = i / n;", true, false), HasSubstr("power of two"));
  EXPECT_EQ(refusal("a[i] = i / m;", true, false), "");
}

}  // namespace
}  // namespace geak::clang_tool::transforms::testing
