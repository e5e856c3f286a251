#include <clang/AST/Decl.h>
#include <clang/Basic/SourceManager.h>
#include <gmock/gmock.h>
#include <fstream>
#include <nlohmann/json.hpp>

#include "clang-tool/extract.h"
#include "clang-tool/kernel_finder.h"
#include "clang-tool/swap.h"
#include "project.h"

namespace geak::clang_tool {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

/// A variant that only renames: enough to see what becomes of the text.
ChosenVariant chosen(const std::string& kernel, const std::string& symbol,
                     const std::string& before_name, const std::string& after_name) {
  Variant variant;
  variant.text = before_name + variant_name_placeholder + after_name;
  const std::string base =
      kernel.substr(kernel.rfind(':') == std::string::npos ? 0 : kernel.rfind(':') + 1);
  return {kernel, symbol, finish_variant(base, variant)};
}

ChosenVariant scan_variant() {
  return chosen("detail::scan", "_ZN6detail4scanEPKfPfj", "static __global__ void ",
                "(const float* in, float* out, unsigned n) { out[n] = in[n]; }");
}

ChosenVariant fill_variant(const std::string& symbol) {
  return chosen("fill", symbol, "template <typename T, int N> static __global__ void ",
                "(T* out, T value) { out[N] = value; }");
}

class Rewrite : public ::testing::Test {
 protected:
  Rewrite() { project_.copy({"kernels.hip", "kernels.h"}); }

  Rewriting rewritten(const std::vector<ChosenVariant>& variants,
                      const std::string& file = "kernels.hip") {
    command_ = project_.command(file, {"-std=c++17"});
    return rewrite(TranslationUnit::parse(command_, Pass::host), variants);
  }
  /// Parses both passes of what was made of the files; returns the host pass.
  TranslationUnit reparsed(const Rewriting& rewriting) {
    ParseOptions options;
    for (const RewrittenFile& file : rewriting.files) options.contents[file.path] = file.text;
    EXPECT_THAT(TranslationUnit::parse(command_, Pass::device, options).errors(), IsEmpty())
        << (rewriting.files.empty() ? "" : rewriting.files.back().text);
    auto host = TranslationUnit::parse(command_, Pass::host, options);
    EXPECT_THAT(host.errors(), IsEmpty());
    return host;
  }
  static std::vector<std::string> reasons(const Rewriting& rewriting) {
    std::vector<std::string> all;
    for (const Refusal& refusal : rewriting.refusals) all.push_back(refusal.reason);
    return all;
  }

  testing::Project project_;
  CompileCommand command_;
};

TEST_F(Rewrite, SwapsLaunchesOfAKernelAndKeepsTheRest) {
  const ChosenVariant variant = scan_variant();
  const Rewriting result = rewritten({variant});
  ASSERT_THAT(result.files, SizeIs(1));
  EXPECT_THAT(result.swapped, ElementsAre(variant.variant.name));
  const std::string& text = result.files[0].text;
  EXPECT_THAT(text, HasSubstr("::detail::scan__geak_launch((n + 255) / 256, block, 256 * "
                              "sizeof(float), stream, a, b, n);"));
  EXPECT_THAT(text, HasSubstr("::detail::scan__geak_launch(dim3(n / 64), dim3(64), 64 * "
                              "sizeof(float), stream, a, b, n);"));
  EXPECT_THAT(text, HasSubstr("(geak_swap::enabled() ? ::detail::" + variant.variant.name));
  EXPECT_THAT(text, HasSubstr("pointer<<<1, 1>>>(i);")) << "launches of others stay";
  EXPECT_THAT(result.refusals, IsEmpty());
  reparsed(result);
}

TEST_F(Rewrite, ChoosesByInstantiation) {
  const ChosenVariant variant = fill_variant("_Z4fillIfLi32EEvPT_S0_");
  const Rewriting result = rewritten({variant, fill_variant("_Z4fillIdLi8EEvPT_S0_")});
  ASSERT_THAT(result.files, SizeIs(1));
  EXPECT_THAT(result.files[0].text,
              HasSubstr("if constexpr (__is_same(T, float) && (long long)N == 32LL)"));
  const TranslationUnit host = reparsed(result);
  std::vector<std::string> instantiations;
  for (const auto* kernel : find_kernels(host))
    if (qualified_name(*kernel) == variant.variant.name)
      for (const auto* one : instantiations_of(*kernel))
        instantiations.push_back(template_arguments(*one)[0] + template_arguments(*one)[1]);
  EXPECT_THAT(instantiations, UnorderedElementsAre("float32", "double8"))
      << "the variant stands once and is instantiated for what was chosen alone";
}

// What a template explicitly is for some arguments goes through the same place and stays.
TEST_F(Rewrite, LeavesExplicitSpecializationsToTheOriginal) {
  project_.write("special.hip", R"(#include <hip/hip_runtime.h>
template <typename T> __global__ void twice(T* out) { out[threadIdx.x] *= 2; }
template <> __global__ void twice<int>(int* out) { out[threadIdx.x] <<= 1; }
template <typename T> void run(T* out) { twice<T><<<1, 64>>>(out); }
void all(float* a, int* b) { run(a); run(b); }
)");
  const std::string head = "template <typename T> static __global__ void ";
  const Rewriting result = rewritten(
      {chosen("twice", "_Z5twiceIfEvPT_", head, "(T* out) { out[0] = 1; }")}, "special.hip");
  EXPECT_THAT(reasons(result), IsEmpty());
  ASSERT_THAT(result.files, SizeIs(1));
  EXPECT_THAT(result.files[0].text, HasSubstr("::twice__geak_launch<T>(1, 64, 0, 0, out);"));
  EXPECT_THAT(result.files[0].text, HasSubstr("if constexpr (__is_same(T, float))"));
  reparsed(result);
  // The specialization itself has no variant.
  EXPECT_THAT(
      reasons(rewritten({chosen("twice", "_Z5twiceIiEvPT_", head, "(T* out) {}")}, "special.hip")),
      ElementsAre(HasSubstr("explicit specialization")));
}

TEST_F(Rewrite, KeepsTheNumbersOfLines) {
  const auto lines = [&](const TranslationUnit& unit) {
    std::vector<unsigned> numbers;
    for (const LaunchSite& site : extract_launches(unit))
      if (site.kernel == "detail::(anonymous namespace)::hidden" || site.kernel == "from_header")
        numbers.push_back(unit.sources()
                              .getPresumedLoc(unit.sources().translateLineCol(
                                  unit.sources().getMainFileID(), site.span.begin_line, 1))
                              .getLine());
    return numbers;
  };
  const Rewriting result = rewritten({scan_variant(), fill_variant("_Z4fillIfLi8EEvPT_S0_")});
  const auto before = lines(TranslationUnit::parse(command_, Pass::host));
  ASSERT_THAT(before, SizeIs(2));
  EXPECT_EQ(lines(reparsed(result)), before);
}

TEST_F(Rewrite, SwapsKernelsOfHeaders) {
  const Rewriting result =
      rewritten({chosen("from_header", "_ZL11from_headerPii", "static __global__ void ",
                        "(int* out, int value) { *out = value; }")});
  EXPECT_THAT(result.files, SizeIs(2));
  reparsed(result);
}

TEST_F(Rewrite, RefusesWithAReason) {
  ChosenVariant shaped = scan_variant();
  shaped.variant.launch.axes[0] = {support::BlockRule::set, 128, support::GridRule::cover, 1};
  const Rewriting result = rewritten(
      {shaped,
       chosen("made_by_macro", "_Z13made_by_macroPi", "static __global__ void ", "(int* out) {}"),
       chosen("gone", "_Z4gonev", "static __global__ void ", "() {}")});
  EXPECT_THAT(reasons(result),
              UnorderedElementsAre(HasSubstr("hipLaunchKernel can take neither"),
                                   HasSubstr("hipLaunchCooperativeKernel can take neither"),
                                   HasSubstr("a macro defines it"), HasSubstr("does not define")));
  EXPECT_THAT(result.swapped, SizeIs(1)) << "the other launches are rewritten";
  EXPECT_THAT(result.files[0].text,
              HasSubstr("geak_swap::axis(geak_g.x, geak_b.x, geak_swap::set, 128u, "
                        "geak_swap::cover, 1u)"));
  reparsed(result);
}

TEST_F(Rewrite, LeavesAKernelWithoutLaunchesAlone) {
  project_.write("alone.hip", "#include <hip/hip_runtime.h>\n__global__ void alone(int* i) {}\n");
  const Rewriting result = rewritten(
      {chosen("alone", "_Z5alonePi", "static __global__ void ", "(int*) {}")}, "alone.hip");
  EXPECT_THAT(result.files, IsEmpty());
  EXPECT_THAT(reasons(result), ElementsAre(HasSubstr("no launch of it")));
}

TEST_F(Rewrite, HandlesWhatProjectsWrite) {
  project_.write("odd.hip", R"(#include <hip/hip_runtime.h>
namespace a { namespace b {
__global__ void work(int*, int n = 3);
struct Launcher { void run(int* i) { work<<<1, 2>>>(i); } };
template <typename... Ts> __global__ void many(int* out, Ts... values) {}
extern "C" { __global__ void plain(const float (*table)[4], void (*unused)(int)) {} }
} }
__global__ void a::b::work(int* out, int) { *out = 1; }
#define CHECKED(...) do { __VA_ARGS__; (void)hipGetLastError(); } while (0)
#define LAUNCH(kernel, ...) kernel<<<1, 1>>>(__VA_ARGS__)
using a::b::work;
void run(int* i, float (*t)[4], int k) {
  CHECKED(work<<<dim3(k++), 4,
                 0>>>(i, /* twice */ 2)); int line = __LINE__;
  LAUNCH(work, i, 1);
  a::b::many<<<1, 1>>>(i, 1.0f, 2u);
  if (line) a::b::plain<<<1, 1, 0, nullptr>>>(t, nullptr);
  else hipLaunchKernelGGL(HIP_KERNEL_NAME(a::b::many<int>), 1, 1, 0, 0, i, 3);
}
)");
  const Rewriting result = rewritten(
      {chosen("a::b::work", "_ZN1a1b4workEPii", "static __global__ void ", "(int* o, int) {}"),
       chosen("a::b::many", "_ZN1a1b4manyIJfjEEEvPiDpT_",
              "template <typename... Ts> static __global__ void ", "(int* o, Ts... v) {}"),
       chosen("a::b::plain", "plain", "static __global__ void ",
              "(const float (*table)[4], void (*unused)(int)) {}")},
      "odd.hip");
  EXPECT_THAT(reasons(result),
              UnorderedElementsAre(HasSubstr("body of the macro LAUNCH"),
                                   HasSubstr("differ in lambdas, local types or packs")));
  EXPECT_THAT(result.swapped, SizeIs(2));
  EXPECT_THAT(result.files.at(0).text,
              HasSubstr("CHECKED(::a::b::work__geak_launch(dim3(k++), 4, 0, 0, i, 2)\n)"))
      << "k++ is evaluated once";
  reparsed(result);
}

TEST_F(Rewrite, SwapsKernelsOfLambdas) {
  project_.write("lambda.hip", R"(#include <hip/hip_runtime.h>
template <typename F> __global__ void apply(int* out, F f) { *out = f(*out); }
void run(int* i) {
  auto twice = [] __device__(int x) { return 2 * x; };
  apply<<<1, 1>>>(i, twice);
}
)");
  command_ = project_.command("lambda.hip", {"-std=c++17"});
  const auto unit = TranslationUnit::parse(command_, Pass::host);
  const auto* instantiation = instantiations_of(*find_kernels(unit).at(0)).at(0);
  const Rewriting result = rewrite(
      unit, {chosen("apply", device_symbol(*instantiation),
                    "template <typename F> static __global__ void ", "(int* out, F f) {}")});
  EXPECT_THAT(result.refusals, IsEmpty());
  EXPECT_THAT(result.swapped, SizeIs(1));
  reparsed(result);
}

TEST_F(Rewrite, WritesAnOverlayThatTheCompilerTakes) {
  const Rewriting result = rewritten({scan_variant()});
  const auto folder = project_.path() / "swap";
  const auto files = write_overlay(result, folder);
  ASSERT_THAT(files, SizeIs(2));
  const auto stamp = std::filesystem::last_write_time(files[0]);
  EXPECT_EQ(write_overlay(result, folder), files);
  EXPECT_EQ(std::filesystem::last_write_time(files[0]), stamp);
  for (const std::string compiler : {"clang++-19 -x hip --rocm-path=/usr -nogpulib", "hipcc"})
    EXPECT_EQ(std::system((compiler + " --offload-arch=gfx90a -std=c++17 -fsyntax-only -Werror " +
                           "-Wno-unused-command-line-argument " + "-ivfsoverlay " +
                           files[0].string() + " " + (project_.path() / "kernels.hip").string())
                              .c_str()),
              0)
        << compiler;
}

}  // namespace
}  // namespace geak::clang_tool
