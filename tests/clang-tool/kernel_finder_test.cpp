#include "clang-tool/kernel_finder.h"

#include <clang/AST/Decl.h>
#include <gmock/gmock.h>

#include "project.h"

namespace geak::clang_tool {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class KernelFinder : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { project_.copy({"kernels.hip", "kernels.h"}); }
  testing::Project project_;
};

TEST_P(KernelFinder, FindsTheDefinitions) {
  const auto unit = TranslationUnit::parse(
      project_.command("kernels.hip", {"-std=c++17"}, GetParam()), Pass::device);
  EXPECT_THAT(unit.errors(), IsEmpty());
  std::vector<std::string> names;
  for (const auto* kernel : find_kernels(unit)) names.push_back(qualified_name(*kernel));
  EXPECT_THAT(names, ElementsAre("from_header", "detail::(anonymous namespace)::hidden",
                                 "detail::scan", "fill", "fill", "made_by_macro"));
}

INSTANTIATE_TEST_SUITE_P(Compilers, KernelFinder,
                         ::testing::Values("/usr/bin/clang++-19", "/usr/bin/hipcc"));

TEST_F(KernelFinder, NamesInstantiationsAsTheDeviceDoes) {
  const auto unit = TranslationUnit::parse(project_.command("kernels.hip"), Pass::device);
  std::vector<std::string> symbols;
  for (const auto* kernel : find_kernels(unit)) {
    if (qualified_name(*kernel) == "detail::scan")
      EXPECT_EQ(device_symbol(*kernel), "_ZN6detail4scanEPKfPfj");
    for (const auto* instantiation : instantiations_of(*kernel)) {
      symbols.push_back(device_symbol(*instantiation));
      EXPECT_EQ(written_definition(*instantiation), kernel);
    }
  }
  EXPECT_THAT(symbols, Contains("_Z4fillIfLi32EEvPT_S0_"));
  EXPECT_EQ(symbols.size(), 5U);
}

TEST_F(KernelFinder, ListsTheFilesRead) {
  const auto unit = TranslationUnit::parse(project_.command("kernels.hip"), Pass::host);
  EXPECT_THAT(unit.files_read(), Contains((project_.path() / "kernels.h").string()));
  EXPECT_THAT(unit.files_read(), Contains(HasSubstr("hip/hip_runtime.h")));
}

TEST_F(KernelFinder, SaysWhichIncludeIsMissing) {
  project_.write("broken.hip", "#include \"nowhere.h\"\n");
  try {
    TranslationUnit::parse(project_.command("broken.hip"), Pass::host);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("broken.hip:1:10: 'nowhere.h' file not found"));
  }
}

TEST_F(KernelFinder, SeesContentsThatAreNotOnDisk) {
  ParseOptions options;
  options.contents[(project_.path() / "kernels.h").string()] =
      "#include <hip/hip_runtime.h>\n__global__ inline void from_header(int*, int) {}\n"
      "__global__ inline void from_buffer() {}\n";
  const auto unit = TranslationUnit::parse(project_.command("kernels.hip"), Pass::host, options);
  std::vector<std::string> names;
  for (const auto* kernel : find_kernels(unit)) names.push_back(qualified_name(*kernel));
  EXPECT_THAT(names, Contains("from_buffer"));
}

TEST(MatchesGlob, MatchesAsCMakeUsersWriteThem) {
  EXPECT_TRUE(matches_glob("scan", "detail::scan"));
  EXPECT_TRUE(matches_glob("detail::scan<*>", "detail::scan"));
  EXPECT_TRUE(matches_glob("detail::*", "detail::scan"));
  EXPECT_TRUE(matches_glob("*", "detail::scan"));
  EXPECT_TRUE(matches_glob("sc?n", "scan"));
  EXPECT_FALSE(matches_glob("other::scan", "detail::scan"));
  EXPECT_FALSE(matches_glob("sca", "scan"));
  EXPECT_TRUE(matches_glob("scan", "detail::scan<float, 4>"));
  EXPECT_TRUE(matches_glob("detail::scan<*>", "detail::scan<float, 4>"));
  EXPECT_TRUE(matches_glob("scan<float,*>", "detail::scan<float, 4>"));
  EXPECT_FALSE(matches_glob("scan<int,*>", "detail::scan<float, 4>"));
  EXPECT_FALSE(matches_glob("scan<int,*>", "detail::scan"));
  EXPECT_TRUE(matches_glob("[a-g]*", "detail"));
  EXPECT_FALSE(matches_glob("[h-z]*", "detail"));
  EXPECT_TRUE(matches_glob("scan[", "scan["));
}

}  // namespace
}  // namespace geak::clang_tool
