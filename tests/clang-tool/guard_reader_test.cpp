// What is read of a guard is what the compiled program finds: both are asked about the same
// launches.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "clang-tool/guards_of_unit.h"
#include "clang-tool/swap.h"
#include "project.h"
#include "support/child_process.h"
#include "support/launch_change.h"

namespace geak::clang_tool {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string head = R"(
typedef decltype(sizeof 0) size_t;
struct dim3 { unsigned x, y, z; };
typedef void* hipStream_t;
typedef unsigned long long u64;
struct Line { short tag; int n; float slope; };
enum class Mode : unsigned char { none, all };
constexpr int tile = 24;
const unsigned bits = 5;
template <typename T, int N>
static inline long long ask(unsigned geak_left, dim3 geak_grid, dim3 geak_block, size_t geak_lds,
                            hipStream_t geak_stream, int n, unsigned u, long long wide, short narrow,
                            float f, double d, Line line, Mode mode, bool flag, const T* p);
)";

/// Guards as transforms and people write them, over the parameters of `ask`.
const std::vector<std::string> guards = {
    "n > 0 && n % 8 == 0",
    "(long long)(n) * u % 12 == 0",
    "n * 65536 == 0 || n < 0",
    "(long long)geak_grid.x * geak_block.x >= (long long)(n)",
    "geak_grid.x * geak_block.x >= n",
    "-1 < u",
    "n - 1 < u",
    "u - 300u > 7",
    "(u & (u - 1)) == 0 && (u) > 0",
    "wide / 7 * 7 == wide",
    "wide >> 3 == wide / 8",
    "(unsigned char)n == narrow",
    "(short)(n * 3) < narrow",
    "narrow * narrow > 100",
    "(double)(n) * 4.0 * ((double)geak_block.x - 1.0) + 4.0 <= 4294967296.0",
    "f * 3.0f == (float)(d * 3.0)",
    "f + 1 > d",
    "(int)f % 3 == 1",
    "f > 0 && (unsigned)(f * 10.0f) == u",
    "line.n == n && line.slope > 0.5f",
    "line.tag < narrow",
    "mode == Mode::all",
    "(int)mode + 1 == 2 && !flag",
    "flag == (n > 5)",
    "N * sizeof(T) == 16 && N == 4",
    "__is_same(T, float) && n < tile << 2",
    "n / tile == 3 || (n >> bits) == 2",
    "geak_lds <= 1024u",
    "~n & 1",
    "+narrow == -narrow || narrow",
    "(size_t)p % 16 == 0",
    "(const char*)(p) + 8 == (const char*)(p + 2)",
    "p != nullptr && (p + n) > p",
    "d != 0 && 1.0 / d < 0.25",
    "(u ^ 12345u) % 1000 < 500",
    "(u64)wide > 0x7fffffffffffffffull",
    "static_cast<int>(u) < 0",
};

const std::vector<std::string> runs = {
    // grid, block, LDS; n, u, wide, narrow, f, d, line, mode, flag, p
    "dim3{4, 1, 1}, dim3{64, 2, 1}, 512, nullptr, 96, 96u, 700LL, (short)96, 3.3f, 3.3, "
    "Line{-3, 96, 0.75f}, Mode::all, true, (const float*)4096",
    "dim3{1, 1, 1}, dim3{256, 1, 1}, 4096, nullptr, 257, 4294967295u, -8LL, (short)1, 2.5f, 8.0, "
    "Line{5, 3, 0.25f}, Mode::none, false, (const float*)4100",
    "dim3{65536, 1, 1}, dim3{65536, 1, 1}, 0, nullptr, -7, 64u, -9223372036854775807LL - 1, "
    "(short)-32768, -1.5f, 0.0, Line{0, -7, 1}, Mode::all, false, (const float*)0",
    "dim3{3, 2, 1}, dim3{25, 1, 1}, 1024, nullptr, 65536, 33u, 9223372036854775807LL, "
    "(short)-12, 16777217.0f, 16777217.0, Line{32767, 65536, 0.5f}, Mode::none, true, "
    "(const float*)64",
    "dim3{1, 1, 1}, dim3{64, 1, 1}, 1, nullptr, 0, 0u, 0LL, (short)0, 0.0f, -0.0, Line{0, 0, 0}, "
    "Mode::none, false, (const float*)1"};

std::string definition(const std::string& body) {
  return "template <typename T, int N>\nstatic inline long long ask(unsigned geak_left, dim3 "
         "geak_grid, "
         "dim3 geak_block, size_t geak_lds, hipStream_t geak_stream, int n, unsigned u, "
         "long long wide, short narrow, float f, double d, Line line, Mode mode, bool flag, "
         "const T* p) {\n" +
         body + "}\n";
}

std::string name_of(std::size_t i) { return "guard_" + std::to_string(i); }

/// The arguments as they lie in a kernel's memory, of the run that the program tells.
struct Told {
  std::vector<std::uint64_t> arguments;  ///< the line in two words
  support::Launch launch;
  std::vector<bool> truths;
};

class GuardReader : public ::testing::Test {
 protected:
  GuardReader() {
    std::string which;
    for (std::size_t i = 0; i < guards.size(); ++i) {
      which += "  if (geak_left == " + std::to_string(i) + "u) { const bool " + name_of(i) +
               " = (" + guards[i] + "); return " + name_of(i) + "; }\n";
    }
    const std::string tell = R"(
  if (geak_left == 1000u) {
    unsigned long long words[12] = {};
    __builtin_memcpy(words, &n, 4); __builtin_memcpy(words + 1, &u, 4);
    __builtin_memcpy(words + 2, &wide, 8); __builtin_memcpy(words + 3, &narrow, 2);
    __builtin_memcpy(words + 4, &f, 4); __builtin_memcpy(words + 5, &d, 8);
    __builtin_memcpy(words + 6, &line, 8); __builtin_memcpy(words + 7, (char*)&line + 8, 4);
    __builtin_memcpy(words + 8, &mode, 1); __builtin_memcpy(words + 9, &flag, 1);
    __builtin_memcpy(words + 10, &p, 8);
    for (auto word : words) __builtin_printf("%llu ", word);
    __builtin_printf("%u %u %u %u %u %u %u", geak_grid.x, geak_grid.y, geak_grid.z, geak_block.x,
                     geak_block.y, geak_block.z, (unsigned)geak_lds);
  }
)";
    std::string calls;
    for (const std::string& run : runs) {
      calls += "  ask<float, 4>(1000u, " + run + ");\n";
      calls += "  for (unsigned i = 0; i < " + std::to_string(guards.size()) +
               "u; ++i) __builtin_printf(\" %d\", (int)ask<float, 4>(i, " + run + "));\n";
      calls += "  __builtin_printf(\"\\n\");\n";
    }
    project_.write("ask.hip", head + definition(which + tell + "  return 2;\n") + "int main() {\n" +
                                  calls + "  return 0;\n}\n");
  }

  std::vector<Told> told() {
    support::ChildOptions child;
    const std::string source = (project_.path() / "ask.hip").string();
    child.command = {"clang++-19", "-x",  "c++",  "-std=c++17", "-w",
                     "-fwrapv",    "-O1", source, "-o",         source + ".out"};
    const auto compiled = support::run_child(child);
    EXPECT_TRUE(compiled.succeeded()) << compiled.err;
    child.command = {source + ".out"};
    const auto ran = support::run_child(child);
    EXPECT_TRUE(ran.succeeded()) << ran.err;
    std::vector<Told> all;
    std::istringstream lines(ran.out);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      Told one;
      one.arguments.resize(12);
      for (auto& word : one.arguments) words >> word;
      for (auto& extent : one.launch.grid) words >> extent;
      for (auto& extent : one.launch.block) words >> extent;
      words >> one.launch.dynamic_lds;
      for (int truth = 0; words >> truth;) one.truths.push_back(truth != 0);
      all.push_back(std::move(one));
    }
    return all;
  }

  std::map<std::string, GuardReading> read(const std::vector<std::string>& names) {
    const auto unit =
        TranslationUnit::parse(project_.command("ask.hip", {"-std=c++17"}), Pass::host);
    EXPECT_THAT(unit.errors(), IsEmpty());
    return read_variables(unit, names);
  }

  testing::Project project_;
};

support::GuardFacts facts_of(const Told& told) {
  support::GuardFacts facts;
  facts.argument = [&told](std::uint32_t position, std::uint32_t offset,
                           std::uint32_t bytes) -> std::optional<std::uint64_t> {
    // `line` takes two words, so that what follows it lies one further.
    const std::size_t at = position + (position > 6 ? 1 : 0) + offset / 8;
    const auto word = told.arguments[at] >> (offset % 8 * 8);
    return bytes >= 8 ? word : word & ((std::uint64_t{1} << (8 * bytes)) - 1);
  };
  return facts;
}

TEST_F(GuardReader, EvaluatesAsTheCompiledProgramDoes) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < guards.size(); ++i) names.push_back(name_of(i));
  const auto readings = read(names);
  const auto launches = told();
  ASSERT_EQ(launches.size(), runs.size());
  for (std::size_t i = 0; i < guards.size(); ++i) {
    const auto found = readings.find(names[i]);
    ASSERT_NE(found, readings.end()) << guards[i];
    ASSERT_TRUE(found->second.expression) << guards[i] << ": " << found->second.problem;
    for (std::size_t run = 0; run < launches.size(); ++run) {
      ASSERT_EQ(launches[run].truths.size(), guards.size());
      try {
        EXPECT_EQ(support::holds(*found->second.expression, launches[run].launch,
                                 facts_of(launches[run])),
                  launches[run].truths[i])
            << guards[i] << " in run " << run;
      } catch (const support::GuardFault& fault) {
        ADD_FAILURE() << guards[i] << " in run " << run << ": " << fault.what();
      }
    }
  }
}

class UnreadableGuard : public ::testing::Test {
 protected:
  std::string problem(const std::string& guard) {
    testing::Project project;
    project.write(
        "one.hip",
        "struct dim3 { unsigned x, y, z; };\nint counter; int* pointer;\n"
        "namespace geak_swap { bool apart(const void*, const void*);\n"
        "bool readable(const void*, double); }\nnamespace other { bool apart(int, int); }\n"
        "int f(int);\nvoid k(dim3 geak_grid, dim3 geak_block, unsigned geak_lds, int n,\n"
        "       const int* p, long double l) {\n  const bool g = (" +
            guard + ");\n}\n");
    const auto unit = TranslationUnit::parse(project.command("one.hip"), Pass::host);
    const auto found = read_variables(unit, {"g"});
    return found.contains("g") ? found.at("g").problem : "not found";
  }
};

TEST_F(UnreadableGuard, IsSaidToBeSo) {
  EXPECT_EQ(problem("n > 0 && geak_swap::apart(p, p + n)"), "");
  EXPECT_THAT(problem("counter > 0"), HasSubstr("reads 'counter'"));
  EXPECT_THAT(problem("p[0] > 0"), HasSubstr("ArraySubscript"));
  EXPECT_THAT(problem("*p > 0"), HasSubstr("uses *"));
  EXPECT_THAT(problem("f(n) > 0"), HasSubstr("calls f"));
  EXPECT_THAT(problem("other::apart(n, n)"), HasSubstr("calls apart"));
  EXPECT_THAT(problem("l > n"), HasSubstr("long double"));
  EXPECT_THAT(problem("n++ > 0"), HasSubstr("uses ++"));
  EXPECT_THAT(problem("(n = 3) > 0"), HasSubstr("uses ="));
  EXPECT_THAT(problem("p - pointer > 0"), HasSubstr("distance"));
}

// Of a template each instantiation has a guard of its own.
TEST(GuardsOfUnit, AreReadOutOfTheRewrittenUnit) {
  testing::Project project;
  project.write("fill.hip",
                "#include <hip/hip_runtime.h>\nnamespace deep {\n"
                "template <typename T, int N> __global__ void fill(T* out, T value, int n) {\n"
                "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                "  if (i < n) out[i] = value + N;\n}\n}\n"
                "void run(float* f, int* i) {\n"
                "  deep::fill<float, 4><<<4, 64>>>(f, 1.0f, 256);\n"
                "  deep::fill<int, 8><<<4, 64>>>(i, 1, 256);\n}\n");
  const auto command = project.command("fill.hip", {"-std=c++17"});
  const auto host = TranslationUnit::parse(command, Pass::host);
  std::vector<ChosenVariant> chosen;
  std::vector<Variant> variants;
  for (const auto& [symbol, guard] :
       {std::pair{"_ZN4deep4fillIfLi4EEEvPT_S1_i", "n % N == 0 && sizeof(T) == 4"},
        {"_ZN4deep4fillIiLi8EEEvPT_S1_i", "n >= N && geak_swap::readable(out, 4.0 * n)"}}) {
    Variant variant;
    variant.text = std::string("template <typename T, int N> static __global__ void ") +
                   variant_name_placeholder + "(T* out, T value, int n) { out[n] = value; }";
    variant.guard = guard;
    variants.push_back(finish_variant("fill", variant));
    chosen.push_back({"deep::fill", symbol, variants.back()});
  }
  const auto rewriting = rewrite(host, chosen);
  ASSERT_EQ(rewriting.swapped.size(), 2U);
  const auto readings = read_guards(command, rewriting, variants);
  ASSERT_EQ(readings.size(), 2U);
  support::GuardFacts facts;
  facts.argument = [](std::uint32_t position, std::uint32_t, std::uint32_t) {
    return std::optional<std::uint64_t>(position == 2 ? 12 : 4096);
  };
  facts.allocation = [](std::uint32_t, std::uint32_t) {
    return std::optional(support::GuardFacts::Allocation{4096, 47});
  };
  ASSERT_TRUE(readings.at(variants[0].name).expression) << readings.at(variants[0].name).problem;
  ASSERT_TRUE(readings.at(variants[1].name).expression) << readings.at(variants[1].name).problem;
  EXPECT_EQ(support::holds(*readings.at(variants[0].name).expression, {}, facts), true);
  EXPECT_EQ(support::holds(*readings.at(variants[1].name).expression, {}, facts), false);
  EXPECT_THAT(read_guards(command, rewriting, {}), IsEmpty());
}

}  // namespace
}  // namespace geak::clang_tool
