// Launch sites of a variant that stands for several launches.
#include <gmock/gmock.h>

#include "clang-tool/swap.h"
#include "project.h"

namespace geak::clang_tool {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

const std::string kernel =
    "#include <hip/hip_runtime.h>\n"
    "__global__ void turn(float* data, unsigned step, int number) { data[step] += number; }\n";

ChosenVariant fused() {
  using namespace support::pass_rule;
  Variant variant;
  variant.text = std::string("static __global__ void ") + variant_name_placeholder +
                 "(float* data, unsigned step, int number) { data[step] += number >> 16; }";
  support::PassRule rule{2, advance_add, 1, 20, {}, {}, {}};
  rule.ops = {{pass_thread, 0, 0, 0, 32, false}};
  rule.accesses = {{0, 0}};
  variant.launch.passes = rule;
  return {"turn", "_Z4turnPfji", finish_variant("turn", variant)};
}

class PassLaunch : public ::testing::Test {
 protected:
  /// The text that is made of the kernel and `host`; what is made must compile.
  std::string rewritten(const std::string& host) {
    project_.write("unit.hip", kernel + host);
    const CompileCommand command = project_.command("unit.hip", {"-std=c++17", "-Wall", "-Wshadow"});
    result_ = rewrite(TranslationUnit::parse(command, Pass::host), {fused()});
    if (result_.files.empty()) return {};
    ParseOptions options;
    for (const RewrittenFile& file : result_.files) options.contents[file.path] = file.text;
    for (const Pass pass : {Pass::device, Pass::host})
      EXPECT_THAT(TranslationUnit::parse(command, pass, options).errors(), IsEmpty())
          << result_.files.front().text;
    return result_.files.front().text;
  }

  testing::Project project_;
  Rewriting result_;
};

TEST_F(PassLaunch, CountsTheRoundsThatAreLeftByTheLoopsOwnText) {
  const std::string text = rewritten(
      "void go(float* a, dim3 grid, unsigned step) {\n"
      "  for (int n = 0; n <= int(step); ++n) {\n    turn<<<grid, 64>>>(a, step, n);\n  }\n}\n");
  EXPECT_THAT(text, HasSubstr("geak_left < 20u && (n <= int(step)); ++n) ++geak_left;"));
  EXPECT_THAT(text, HasSubstr("::turn__geak_launch_passes(geak_left, grid, 64, 0, 0, a, step, n);"
                              " geak_n > 1; --geak_n) { ++n; }"));
  EXPECT_THAT(text, HasSubstr("geak_swap::count_passes"));
  EXPECT_THAT(text, HasSubstr("\n  }\n}\n")) << "as many lines as before";
}

TEST_F(PassLaunch, TakesLaunchMacrosAndLoopsWithoutBraces) {
  const std::string text = rewritten(
      "void go(float* a, unsigned step) {\n  for (int n = 0; n < 9; n++)\n"
      "    hipLaunchKernelGGL(turn, dim3(8), dim3(64), 0, 0, a, step, n);\n}\n");
  EXPECT_THAT(text, HasSubstr("geak_n > 1; --geak_n) { n++; }"));
}

TEST_F(PassLaunch, LeavesOtherLaunchesAlone) {
  const std::string text = rewritten(
      "void go(float* a, unsigned step) {\n  for (int n = 0; n < 9; n++)\n"
      "    turn<<<8, 64>>>(a, step, n);\n  turn<<<8, 64>>>(a, step, 5);\n"
      "  for (int n = 0; n < 9; n += 2) turn<<<8, 64>>>(a, step, n);\n}\n");
  EXPECT_THAT(text, HasSubstr("\n  turn<<<8, 64>>>(a, step, 5);"));
  EXPECT_THAT(text, HasSubstr("n += 2) turn<<<8, 64>>>(a, step, n);"));
  EXPECT_THAT(result_.refusals, SizeIs(2));
  EXPECT_THAT(result_.swapped, SizeIs(1));
}

TEST_F(PassLaunch, RefusesAKernelWithoutSuchALoop) {
  EXPECT_THAT(rewritten("void go(float* a) { turn<<<8, 64>>>(a, 1, 5); }\n"), IsEmpty());
  EXPECT_THAT(result_.swapped, IsEmpty());
}

}  // namespace
}  // namespace geak::clang_tool
