#include "clang-tool/swap_prelude.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <random>
#include <sstream>

#include "project.h"

namespace geak::clang_tool {
namespace {

using support::AxisChange;
using support::BlockRule;
using support::Condition;
using support::GridRule;
using support::Launch;
using support::LaunchChange;

struct Case {
  Launch launch;
  LaunchChange change;
};

class Cases {
 public:
  Case next() {
    Case one;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      one.launch.grid[axis] = pick({1, 2, 7, 64, 1000, 4000000000});
      one.launch.block[axis] = pick({1, 2, 3, 8, 64});
      if (pick({0, 1}) == 1)
        one.change.axes[axis] = {static_cast<BlockRule>(pick({0, 1, 2, 3})), pick({0, 1, 2, 3, 64}),
                                 static_cast<GridRule>(pick({0, 1, 2, 3, 4})), pick({0, 1, 2, 5})};
    }
    one.launch.dynamic_lds = pick({0, 4, 1024, 4000000000});
    one.change.lds = {pick({0, 1}) == 1, pick({0, 16}), pick({0, 4})};
    if (pick({0, 1}) == 1)
      one.change.conditions = {
          {static_cast<Condition::Kind>(pick({0, 1, 2, 3})), pick({0, 1, 2}), pick({1, 2, 64})},
          {static_cast<Condition::Kind>(pick({4, 5, 6, 7, 8, 9})), 0, pick({1})}};
    return one;
  }

 private:
  std::uint32_t pick(const std::vector<std::uint32_t>& values) {
    return values[random_() % values.size()];
  }
  std::mt19937 random_{7};
};

std::string text_of(const std::optional<Launch>& launch) {
  if (!launch) return "original\n";
  std::ostringstream text;
  for (const auto& extent : {launch->grid, launch->block})
    for (const auto size : extent) text << size << ' ';
  text << launch->dynamic_lds << '\n';
  return text.str();
}

std::string dim(const support::Extent& extent) {
  return "{" + std::to_string(extent[0]) + "u, " + std::to_string(extent[1]) + "u, " +
         std::to_string(extent[2]) + "u}";
}

std::string program_line(const Case& one) {
  return "  { const dim3 geak_grid = " + dim(one.launch.grid) +
         ", geak_block = " + dim(one.launch.block) +
         "; const size_t geak_lds = " + std::to_string(one.launch.dynamic_lds) +
         "u; dim3 geak_g = geak_grid, geak_b = geak_block; size_t geak_l = geak_lds;\n"
         "    if (" +
         render(one.change, {"first", "second"}) +
         ") show(geak_g, geak_b, geak_l);\n"
         "    else puts(\"original\"); }\n";
}

TEST(SwapPrelude, ChangesLaunchesAsReplayDoes) {
  testing::Project project;
  std::string program = swap_prelude() + R"(
#include <stdio.h>
struct dim3 { unsigned x, y, z; };
static void show(dim3 g, dim3 b, size_t l) {
  printf("%u %u %u %u %u %u %zu\n", g.x, g.y, g.z, b.x, b.y, b.z, l);
}
int main() {
  int first = 2; void* second = reinterpret_cast<void*>(4096); (void)first; (void)second;
)";
  const support::ArgumentValues arguments =
      [](std::uint32_t position) -> std::optional<std::int64_t> {
    return position == 0 ? 2 : 4096;
  };
  Cases cases;
  std::string expected;
  for (int i = 0; i < 400; ++i) {
    const Case one = cases.next();
    expected += text_of(one.change.apply(one.launch, arguments));
    program += program_line(one);
  }
  project.write("p.cpp", program + "}\n");
  const std::string folder = project.path().string();
  ASSERT_EQ(std::system(("clang++-19 -std=c++11 -w -o " + folder + "/p " + folder + "/p.cpp && " +
                         folder + "/p >" + folder + "/out")
                            .c_str()),
            0);
  std::ifstream stream(project.path() / "out");
  const std::string printed(std::istreambuf_iterator<char>(stream), {});
  EXPECT_EQ(printed, expected);
  EXPECT_THAT(expected, ::testing::ContainsRegex("[0-9]+ [0-9]+ [0-9]+ "));
}

TEST(SwapPrelude, IsDisabledByTheEnvironment) {
  testing::Project project;
  project.write("p.cpp", swap_prelude() + "int main() { return geak_swap::enabled() ? 0 : 1; }\n");
  const std::string folder = project.path().string();
  ASSERT_EQ(std::system(("clang++-19 -o " + folder + "/p " + folder + "/p.cpp").c_str()), 0);
  EXPECT_EQ(std::system(("env -u GEAK_DISABLE " + folder + "/p").c_str()), 0);
  EXPECT_EQ(std::system(("GEAK_DISABLE=0 " + folder + "/p").c_str()), 0);
  EXPECT_NE(std::system(("GEAK_DISABLE=1 " + folder + "/p").c_str()), 0);
}

TEST(SwapPrelude, RefusesConditionsOnParametersThatAreNotThere) {
  LaunchChange change;
  change.conditions = {{Condition::Kind::argument_equals, 2, 1}};
  EXPECT_THROW(render(change, {"only"}), std::invalid_argument);
}

}  // namespace
}  // namespace geak::clang_tool
