#include "harness.h"

#include <gtest/gtest.h>

#include "support/child_process.h"
#include "support/emulator_environment.h"

namespace geak::clang_tool::transforms::testing {
namespace {

const char* const helpers = R"(
#include <cstring>
#include <vector>
template <typename T>
T* on_device(const std::vector<T>& values) {
  void* memory = nullptr;
  if (hipMalloc(&memory, values.size() * sizeof(T)) != hipSuccess ||
      hipMemcpy(memory, values.data(), values.size() * sizeof(T), hipMemcpyDefault) != hipSuccess)
    std::exit(2);
  return static_cast<T*>(memory);
}
template <typename T>
bool same(const T* a, const T* b, size_t count) {
  std::vector<T> left(count), right(count);
  if (hipMemcpy(left.data(), a, count * sizeof(T), hipMemcpyDefault) != hipSuccess ||
      hipMemcpy(right.data(), b, count * sizeof(T), hipMemcpyDefault) != hipSuccess)
    std::exit(3);
  return std::memcmp(left.data(), right.data(), count * sizeof(T)) == 0;
}
)";

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

void KernelUnderTest::run(const Variant& variant, const std::string& main_text) {
  project_.write("program.hip", session_.contents_with(variant).begin()->second + helpers +
                                    "#define VARIANT " + variant.name + "\n" + main_text);
  support::ChildOptions child;
  const std::string program = (project_.path() / "program").string();
  child.command = {"hipcc", "-std=c++17", "-O2",           "--offload-arch=gfx90a",
                   "-o",    program,      program + ".hip"};
  const support::ChildResult compiled = support::run_child(child);
  ASSERT_TRUE(compiled.succeeded()) << compiled.err << variant.text;
  support::EmulatorSettings settings;
  settings.hip_program = true;
  child.command = {program};
  child.environment =
      support::emulator_environment(support::InstallPaths::of_this_program(), settings);
  child.timeout = std::chrono::minutes(1);
  const support::ChildResult ran = support::run_child(child);
  EXPECT_TRUE(ran.succeeded()) << "exit code " << ran.exit_code << "\n" << ran.err << variant.text;
}

std::string KernelUnderTest::refusal(const std::vector<RecipeStep>& recipe) {
  return session_.apply(recipe).refusal;
}

}  // namespace geak::clang_tool::transforms::testing
