#include "harness.h"

#include <gtest/gtest.h>

#include "support/child_process.h"

namespace geak::clang_tool::transforms::testing {
namespace {

CompileCommand write_unit(const clang_tool::testing::Project& project, const std::string& source) {
  project.write("kernel.hip", "#include <hip/hip_runtime.h>\n" + source);
  return project.command("kernel.hip", {"-std=c++17"});
}

}  // namespace

SeenLaunch launch(support::Extent grid, support::Extent block,
                  std::vector<std::optional<std::int64_t>> arguments) {
  return {{grid, block, 0}, std::move(arguments)};
}

KernelUnderTest::KernelUnderTest(const std::string& source, const std::string& kernel,
                                 std::vector<SeenLaunch> seen, std::vector<std::string> arguments)
    : command_(write_unit(project_, source)),
      session_({command_, "gfx90a", kernel, std::move(arguments), std::move(seen)}) {}

Variant KernelUnderTest::variant(const std::vector<RecipeStep>& recipe) {
  const ApplyResult result = session_.apply(recipe);
  EXPECT_TRUE(result) << result.refusal;
  if (!result) return {};
  const std::string whole = session_.contents_with(*result.variant).begin()->second;
  project_.write("variant.hip", whole);
  support::ChildOptions compile;
  compile.command = {"clang++-19",
                     "-x",
                     "hip",
                     "-std=c++17",
                     "-Wall",
                     "-Werror",
                     "-Wno-unused-function",
                     "--offload-arch=gfx90a",
                     "--rocm-device-lib-path=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode",
                     "-mcode-object-version=4",
                     "--cuda-device-only",
                     "-O3",
                     "-S",
                     "-o",
                     "/dev/null",
                     (project_.path() / "variant.hip").string()};
  const support::ChildResult compiled = support::run_child(compile);
  EXPECT_TRUE(compiled.succeeded()) << compiled.err << "\n" << result.variant->text;
  return *result.variant;
}

std::string KernelUnderTest::refusal(const std::vector<RecipeStep>& recipe) {
  return session_.apply(recipe).refusal;
}

}  // namespace geak::clang_tool::transforms::testing
