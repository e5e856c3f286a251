#include "optimizer/warm_compile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../clang-tool/project.h"
#include "clang-tool/swap.h"
#include "optimizer/code_object.h"
#include "optimizer/shipped_code.h"
#include "support/atomic_file.h"

namespace geak::optimizer {
namespace {

namespace fs = std::filesystem;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kHead =
    "#include <hip/hip_runtime.h>\n#include <cstdio>\n#include \"helpers.h\"\n";
constexpr const char* kHelpers =
    "#pragma once\n__constant__ float table[64];\n"
    "template <class T> __device__ T sum_of(T value) {\n"
    "  for (int step = 32; step > 0; step /= 2) value += __shfl_down(value, step);\n"
    "  return value;\n}\n";
// A helper of the header, a constant of it, LDS, a library function, and the same as a template.
constexpr const char* kBody =
    "__global__ void sums(const float* from, float* to, int n) {\n"
    "  __shared__ float kept[64];\n"
    "  kept[threadIdx.x] = sqrtf(from[threadIdx.x]) * table[threadIdx.x];\n"
    "  __syncthreads();\n"
    "  to[threadIdx.x] = sum_of(kept[(threadIdx.x + n) % 64]);\n}\n"
    "template <int N> __global__ void powers(float* to) {\n"
    "  for (int i = 0; i < N; ++i) to[threadIdx.x] = powf(to[threadIdx.x], sum_of(1.5f));\n}\n"
    "template __global__ void powers<3>(float*);\n";

class WarmCompileTest : public ::testing::TestWithParam<const char*> {
 protected:
  WarmCompileTest() {
    project_.write("inner/helpers.h", kHelpers);
    project_.write("inner/main.hip", std::string(kHead) + kBody);
    request_.command = project_.command("inner/main.hip", {"-I" + inner().string()}, GetParam());
    if (!std::string(GetParam()).ends_with("hipcc"))
      request_.command.arguments.insert(request_.command.arguments.begin() + 1,
                                        {"--rocm-path=/usr",
                                         "--rocm-device-lib-path="
                                         "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode",
                                         "-mcode-object-version=4"});
    request_.target_id = "gfx90a";
    request_.output = project_.path() / "warm.co";
    request_.overlay = project_.path() / "overlay.yaml";
    ship(kBody);
  }

  fs::path inner() const { return project_.path() / "inner"; }

  // What the overlay puts in the main file's place.
  void ship(const std::string& body) {
    clang_tool::write_overlay({{{request_.command.file, kHead + body}}, {}, {}}, project_.path());
  }

  std::string bytes_by_plain_compile() const {
    auto plain = request_;
    plain.output = project_.path() / "plain.co";
    const auto compiled = compile_device(plain);
    EXPECT_TRUE(compiled.succeeded) << compiled.problem;
    return support::read_file(plain.output).value_or("");
  }

  clang_tool::testing::Project project_;
  DeviceCompile request_;
};

TEST_P(WarmCompileTest, MakesTheMachineCodeThatTheBuildMakes) {
  WarmCompile warm(request_);
  for (const std::string& more :
       {std::string(), std::string("__global__ void other(float* p) { p[0] = sum_of(p[1]); }\n")}) {
    ship(kBody + more);
    const auto compiled = warm.compile();
    ASSERT_TRUE(compiled && compiled->succeeded);
    const std::string code = support::read_file(request_.output).value_or("");
    const std::string plain = bytes_by_plain_compile();
    const auto kernels = read_kernels(request_.output);
    ASSERT_EQ(kernels.size(), more.empty() ? 2U : 3U);
    for (const auto& kernel : kernels) {
      EXPECT_THAT(kernel.code, Not(IsEmpty()));
      EXPECT_EQ(code_hash(code, kernel.symbol), code_hash(plain, kernel.symbol)) << kernel.symbol;
    }
  }
}

TEST_P(WarmCompileTest, WhatDoesNotCompileIsLeftToTheBuildsWay) {
  WarmCompile warm(request_);
  ship("__global__ void wrong(float* p) { no_such_name(p); }\n");
  EXPECT_FALSE(warm.compile());
  ship(kBody);
  EXPECT_TRUE(warm.compile());
}

TEST_P(WarmCompileTest, AHeaderThatChangedIsNotTakenFromBefore) {
  WarmCompile warm(request_);
  ASSERT_TRUE(warm.compile());
  project_.write("inner/helpers.h", std::string(kHelpers) + "// another size\n");
  EXPECT_FALSE(warm.compile());
}

TEST_P(WarmCompileTest, AHeaderThatMayNotComeTwiceIsLeftToTheBuildsWay) {
  project_.write("inner/helpers.h",
                 std::string(kHelpers).substr(std::string("#pragma once").size()));
  WarmCompile warm(request_);
  EXPECT_FALSE(warm.compile());
  EXPECT_THAT(bytes_by_plain_compile(), Not(IsEmpty()));
}

TEST_P(WarmCompileTest, AfterGivingUpNothingIsCompiled) {
  WarmCompile warm(request_);
  warm.give_up();
  EXPECT_FALSE(warm.compile());
  EXPECT_FALSE(fs::exists(request_.output));
}

INSTANTIATE_TEST_SUITE_P(Compilers, WarmCompileTest,
                         ::testing::Values("/usr/bin/hipcc", GEAK_CLANG),
                         [](const auto& info) { return info.index == 0 ? "Hipcc" : "Clang19"; });

TEST(JobsIn, TakesOneCompilationAndItsLink) {
  const auto jobs = jobs_in(
      "clang version 15\nTarget: x86_64\n"
      " \"/bin/clang\" \"-cc1\" \"-emit-obj\" \"-fcuda-is-device\" \"-o\" \"/tmp/a b.o\" \"-x\" "
      "\"hip\" \"m.hip\"\n"
      " \"/bin/lld\" \"-shared\" \"-o\" \"m.co\" \"/tmp/a b.o\"\n");
  ASSERT_TRUE(jobs);
  EXPECT_EQ(jobs->object, "/tmp/a b.o");
  EXPECT_EQ(jobs->compile.back(), "m.hip");
  EXPECT_EQ(jobs->link.front(), "/bin/lld");
}

TEST(JobsIn, TakesNothingElse) {
  const std::string compile =
      " \"/bin/clang\" \"-cc1\" \"-emit-obj\" \"-fcuda-is-device\" \"-o\" \"a.o\" \"m.hip\"\n";
  const std::string link = " \"/bin/lld\" \"-o\" \"m.co\" \"a.o\"\n";
  EXPECT_TRUE(jobs_in(compile + link));
  EXPECT_FALSE(jobs_in(""));
  EXPECT_FALSE(jobs_in(compile));
  EXPECT_FALSE(jobs_in(compile + compile + link));
  EXPECT_FALSE(jobs_in(compile + link + link));
  EXPECT_FALSE(jobs_in(compile + " \"/bin/lld\" \"-o\" \"m.co\" \"other.o\"\n"));
}

}  // namespace
}  // namespace geak::optimizer
