#include "harness.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "replay/gates/text_gate.h"
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

const char* const buffers = R"(
#include <cmath>
#include <cstdio>
#include <map>
#include <random>
struct Memory { void* begin; size_t bytes, element; bool real; };
static std::map<int, Memory> memory;
template <typename T>
T* buffer(int number, size_t count, double lowest, double highest) {
  std::mt19937_64 random(number);
  std::uniform_real_distribution<double> value(lowest, highest);
  std::vector<T> values(count);
  for (T& each : values) each = T(value(random));
  T* made = on_device(values);
  memory[number] = {made, count * sizeof(T), sizeof(T), std::is_floating_point<T>::value};
  return made;
}
std::vector<char> bytes_of(const Memory& one) {
  std::vector<char> bytes(one.bytes);
  if (hipMemcpy(bytes.data(), one.begin, one.bytes, hipMemcpyDefault) != hipSuccess) std::exit(3);
  return bytes;
}
double number(const char* at, size_t bytes) {
  if (bytes == 8) return *reinterpret_cast<const double*>(at);
  return *reinterpret_cast<const float*>(at);
}
bool alike(const Memory& a, const Memory& b, double tolerance) {
  const std::vector<char> left = bytes_of(a), right = bytes_of(b);
  if (tolerance == 0 || !a.real) return left == right;
  double most = 0, apart = 0;
  for (size_t at = 0; at < a.bytes; at += a.element) {
    const double x = number(&left[at], a.element), y = number(&right[at], a.element);
    most = std::fmax(most, std::fabs(x));
    if (!(std::fabs(x - y) <= apart)) apart = std::fabs(x - y);
  }
  return apart <= tolerance * most;
}
)";

/// Original and variant of one run, each on memory of its own.
std::string text_of(const SampleRun& run, const support::Launch& changed,
                    const std::string& original, const std::string& variant, double tolerance) {
  const auto extent = [](const support::Extent& size) {
    return "dim3(" + std::to_string(size[0]) + ", " + std::to_string(size[1]) + ", " +
           std::to_string(size[2]) + ")";
  };
  const auto call = [&](const std::string& kernel, const support::Launch& launch) {
    return "memory.clear();\n" + kernel + "<<<" + extent(launch.grid) + ", " +
           extent(launch.block) + ", " + std::to_string(launch.dynamic_lds) + ">>>(" +
           run.arguments + ");\nif (hipDeviceSynchronize() != hipSuccess) return 4;\n";
  };
  return "{\n" + call(original, run.seen.launch) + "const auto expected = memory;\n" +
         call(variant, changed) +
         "for (const auto& [number, made] : expected)\n"
         "if (!alike(made, memory.at(number), " +
         std::to_string(tolerance) +
         ")) { std::fprintf(stderr, \"buffer %d differs\\n\", number); return 1; }\n}\n";
}

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
    : name_(kernel),
      command_(write_unit(project_, source)),
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
  if (!kProgramsRun) GTEST_SKIP() << "the emulator was built with sanitizers";
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
  settings.checks = "memcheck";
  settings.check_file = (project_.path() / "findings.json").string();
  child.command = {program};
  child.environment =
      support::emulator_environment(support::InstallPaths::of_this_program(), settings);
  child.timeout = std::chrono::minutes(1);
  const support::ChildResult ran = support::run_child(child);
  EXPECT_TRUE(ran.succeeded()) << "exit code " << ran.exit_code << "\n" << ran.err << variant.text;
  std::ifstream written(settings.check_file);
  const auto findings =
      nlohmann::json::parse(written, nullptr, false).value("findings", nlohmann::json());
  EXPECT_TRUE(findings.is_array() && findings.empty()) << findings.dump(1) << variant.text;
}

void KernelUnderTest::run_alike(const Variant& variant, const std::vector<SampleRun>& runs,
                                double tolerance) {
  const auto refused = replay::check_text(variant.text, source_);
  EXPECT_FALSE(refused) << refused->reason << "\n" << variant.text;
  const auto guard = replay::check_guard(variant.guard);
  EXPECT_FALSE(guard) << guard->reason;
  std::string text = std::string(buffers) + "int main() {\n";
  for (const SampleRun& run : runs) {
    // Pointers lie in memory of their own.
    const auto value = [&](std::uint32_t position) {
      const auto& known = run.seen.arguments;
      return position < known.size() ? known[position]
                                     : std::optional<std::int64_t>((position + 1) * 4096);
    };
    std::string problem;
    const auto changed = variant.launch.apply(run.seen.launch, value, &problem);
    ASSERT_TRUE(changed) << problem;
    text += text_of(run, *changed, name_, "VARIANT", tolerance);
  }
  this->run(variant, text + "return 0;\n}\n");
}

std::string KernelUnderTest::refusal(const std::vector<RecipeStep>& recipe) {
  return session_.apply(recipe).refusal;
}

}  // namespace geak::clang_tool::transforms::testing
