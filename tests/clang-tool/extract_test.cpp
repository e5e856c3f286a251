#include "clang-tool/extract.h"

#include <gmock/gmock.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "project.h"

namespace geak::clang_tool {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

class Extract : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    project_ = new testing::Project;
    project_->copy({"kernels.hip", "kernels.h"});
    found_ = new Extraction(extract({project_->command("kernels.hip", {"-std=c++17"})}));
    std::ifstream stream(project_->path() / "kernels.hip");
    source_ = new std::string(std::istreambuf_iterator<char>(stream), {});
  }
  static void TearDownTestSuite() {
    delete source_;
    delete found_;
    delete project_;
  }

  static const Kernel& kernel(const std::string& name) {
    for (const Kernel& kernel : found_->kernels)
      if (kernel.name == name) return kernel;
    throw std::runtime_error("no kernel " + name);
  }
  static std::vector<LaunchSite> launches(const std::string& kernel) {
    std::vector<LaunchSite> sites;
    for (const LaunchSite& site : found_->launches)
      if (site.kernel == kernel && !site.is_pattern) sites.push_back(site);
    return sites;
  }
  static std::string text(const SourceSpan& span) {
    return source_->substr(span.begin_offset, span.end_offset - span.begin_offset);
  }

  static testing::Project* project_;
  static Extraction* found_;
  static std::string* source_;
};
testing::Project* Extract::project_ = nullptr;
Extraction* Extract::found_ = nullptr;
std::string* Extract::source_ = nullptr;

TEST_F(Extract, DescribesAKernel) {
  EXPECT_THAT(found_->problems, IsEmpty());
  const Kernel& scan = kernel("detail::scan");
  EXPECT_EQ(scan.signature, "void (const float *, float *__restrict, unsigned int)");
  EXPECT_THAT(text(scan.span), StartsWith("__global__ void __launch_bounds__(256, 2)"));
  EXPECT_EQ(text(scan.span).back(), '}');
  ASSERT_THAT(scan.parameters, SizeIs(3));
  EXPECT_TRUE(scan.parameters[0].points_to_const);
  EXPECT_TRUE(scan.parameters[1].is_restrict);
  EXPECT_EQ(scan.parameters[2].bytes, 4U);
  ASSERT_THAT(scan.instantiations, SizeIs(1));
  EXPECT_EQ(scan.instantiations[0].bounds.max_threads, 256);
  EXPECT_EQ(scan.instantiations[0].bounds.min_waves_per_eu, 2);
  EXPECT_TRUE(scan.instantiations[0].has_dynamic_lds);
  EXPECT_EQ(scan.instantiations[0].static_lds_bytes, 64U * 4 + 4 * 4) << "with the callee's";
}

TEST_F(Extract, ListsTheInstantiationsOfATemplate) {
  const Kernel& fill = kernel("fill");
  EXPECT_THAT(fill.template_parameters, ElementsAre("typename T", "int N"));
  EXPECT_THAT(text(fill.span), StartsWith("template <typename T, int N>"));
  EXPECT_THAT(fill.instantiations, SizeIs(5));
  for (const Instantiation& instantiation : fill.instantiations)
    if (instantiation.symbol == "_Z4fillIdLi32EEvPT_S0_") {
      EXPECT_THAT(instantiation.template_arguments, ElementsAre("double", "32"));
      EXPECT_EQ(instantiation.static_lds_bytes, 256U);
    }
}

TEST_F(Extract, MarksWhatCannotBeEditedInPlace) {
  EXPECT_TRUE(kernel("made_by_macro").defined_by_macro);
  EXPECT_FALSE(kernel("fill").defined_by_macro);
  EXPECT_TRUE(kernel("detail::(anonymous namespace)::hidden").instantiations[0].symbol_has_suffix);
}

TEST_F(Extract, DescribesEachFormOfLaunch) {
  const auto sites = launches("detail::scan");
  ASSERT_THAT(sites, SizeIs(4));
  EXPECT_EQ(sites[0].form, LaunchForm::chevrons);
  EXPECT_EQ(sites[0].grid, "(n + 255) / 256");
  EXPECT_EQ(sites[0].block, "block");
  EXPECT_EQ(sites[0].dynamic_lds, "256 * sizeof(float)");
  EXPECT_EQ(sites[0].stream, "stream");
  EXPECT_THAT(sites[0].arguments, SizeIs(3));
  EXPECT_THAT(text(sites[0].span), StartsWith("detail::scan<<<(n + 255)"));
  EXPECT_EQ(sites[1].form, LaunchForm::launch_macro);
  EXPECT_EQ(sites[1].api, "hipLaunchKernelGGL");
  EXPECT_EQ(sites[1].grid, "dim3(n / 64)");
  EXPECT_EQ(sites[1].macro, "");
  EXPECT_THAT(text(sites[1].span), StartsWith("hipLaunchKernelGGL(detail::scan, dim3(n / 64)"));
  EXPECT_EQ(text(sites[1].span).back(), ')');
  EXPECT_EQ(sites[2].form, LaunchForm::launch_call);
  EXPECT_EQ(sites[2].dynamic_lds, "1024");
  EXPECT_EQ(sites[3].form, LaunchForm::cooperative_call);
  EXPECT_EQ(sites[3].grid, "dim3(2)");
}

TEST_F(Extract, ListsASiteOnceForEachSpecialization) {
  std::vector<std::string> in_template;
  std::vector<std::string> in_macro;
  for (const LaunchSite& site : launches("fill")) {
    if (site.function == "launch_fill") in_template.push_back(site.template_arguments[0]);
    if (site.macro == "DISPATCH") in_macro.push_back(site.template_arguments[0]);
  }
  EXPECT_THAT(in_template, ElementsAre("double", "float"));
  EXPECT_THAT(in_macro, ElementsAre("double", "float"));
}

TEST_F(Extract, SeesSideEffects) {
  std::vector<bool> free;
  for (const LaunchSite& site : launches("fill"))
    if (site.template_arguments[0] == "char") free.push_back(site.side_effect_free);
  EXPECT_THAT(free, ElementsAre(true, false));
}

TEST_F(Extract, KnowsNoKernelBehindAPointer) {
  const auto sites = launches("");
  ASSERT_THAT(sites, SizeIs(1));
  EXPECT_EQ(text(sites[0].span), "pointer<<<1, 1>>>(i)");
}

TEST_F(Extract, PrintsTheDocument) {
  const nlohmann::json document = to_document(*found_);
  EXPECT_EQ(document.at("schema"), 1);
  EXPECT_THAT(document.at("kernels"), SizeIs(6));
  EXPECT_EQ(document.at("kernels")[2].at("instantiations")[0].at("symbol"),
            "_ZN6detail4scanEPKfPfj");
}

// Clang 18 and later say in a symbol what type a template's function argument has.
TEST(ExtractMany, NamesSymbolsAsTheProjectsOwnClangDoes) {
  testing::Project project;
  project.write("gate.hip", R"(#include <hip/hip_runtime.h>
template <typename T> __device__ T twice(const T& x) { return x + x; }
template <typename T, T (*ACT)(const T&)> __global__ void gate(T* p) { *p = ACT(*p); }
void run(float* p) { gate<float, twice<float>><<<1, 1>>>(p); }
)");
  const auto symbol_of = [&](const std::string& compiler) {
    const auto found = extract({project.command("gate.hip", {}, compiler)});
    EXPECT_THAT(found.problems, IsEmpty());
    EXPECT_THAT(found.kernels.at(0).instantiations.at(0).template_arguments,
                ElementsAre("float", "&twice<float>"));
    return found.kernels.at(0).instantiations.at(0).symbol;
  };
  const std::string newer = symbol_of("/usr/bin/clang++-19");
  EXPECT_EQ(newer, "_Z4gateIfTnPFT_RKS0_EXadL_Z5twiceIfES0_S2_EEEvPS0_");
  for (const char* version :
       {"Debian clang version 15.0.6", "AMD clang version 17.0.0 (roc-6.1)"}) {
    const std::string name = std::string("clang-of") + version[0];
    const std::string compiler = (project.path() / name).string();
    project.write(name, "#!/bin/sh\necho HIP version: 5.2\necho '" + std::string(version) + "'\n");
    std::filesystem::permissions(compiler, std::filesystem::perms::owner_all);
    EXPECT_EQ(symbol_of(compiler), "_Z4gateIfXadL_Z5twiceIfET_RKS1_EEEvPS1_") << version;
  }
  EXPECT_EQ(symbol_of((project.path() / "none/clang++").string()), newer) << "cannot be asked";
}

TEST(ExtractMany, GoesOnAfterAUnitThatDoesNotParse) {
  testing::Project project;
  project.copy({"kernels.hip", "kernels.h"});
  project.write("broken.hip", "#include \"gone.h\"\n");
  const auto found = extract({project.command("broken.hip"), project.command("kernels.hip")});
  EXPECT_THAT(found.kernels, SizeIs(6));
  EXPECT_THAT(found.problems, ElementsAre(HasSubstr("gone.h")));
}

TEST(ExtractMany, ListsHeadersOnce) {
  testing::Project project;
  project.copy({"kernels.h"});
  for (const char* name : {"one.hip", "two.hip"})
    project.write(
        name, "#include \"kernels.h\"\nstatic void run(int* i) { from_header<<<1, 1>>>(i, 2); }\n");
  const auto found = extract({project.command("one.hip"), project.command("two.hip")});
  EXPECT_THAT(found.kernels, SizeIs(1));
  EXPECT_THAT(found.launches, SizeIs(2));
}

}  // namespace
}  // namespace geak::clang_tool
