#include "optimizer/device_compile.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "optimizer/code_object.h"

namespace geak::optimizer {
namespace {

namespace fs = std::filesystem;

class DeviceCompileTest : public testing::Test {
 protected:
  DeviceCompileTest()
      : folder_(fs::temp_directory_path() / ("geak-dc-" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
    request_.command = {(folder_ / "k.hip").string(),
                        folder_.string(),
                        {GEAK_CLANG, "-x", "hip", "-nogpuinc", "-nogpulib", "-O2",
                         "--offload-arch=gfx906", "-MD", "-MF", "k.d", "-o", "k.o", "-c", "k.hip"}};
    request_.target_id = "gfx90a";
    request_.output = folder_ / "k.co";
  }
  ~DeviceCompileTest() override { fs::remove_all(folder_); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }
  fs::path folder_;
  DeviceCompile request_;
};

constexpr const char* kKernel = "__attribute__((global)) void one(int* p) { *p = 1; }\n";

TEST_F(DeviceCompileTest, MakesTheCodeObjectOfTheOneTargetAndNothingElse) {
  write("k.hip", kKernel);
  const auto result = compile_device(request_);
  ASSERT_TRUE(result.succeeded) << result.problem;
  EXPECT_EQ(read_kernels(request_.output).at(0).symbol, "_Z3onePi");
  EXPECT_FALSE(fs::exists(folder_ / "k.d"));
  EXPECT_FALSE(fs::exists(folder_ / "k.o"));
}

TEST_F(DeviceCompileTest, TheOverlayReplacesTheSource) {
  write("k.hip", kKernel);
  write("other.hip", "__attribute__((global)) void two(int* p) { *p = 2; }\n");
  write("overlay.yaml",
        "{'version': 0, 'use-external-names': false, 'roots': [{'type': 'file', "
        "'name': '" +
            (folder_ / "k.hip").string() + "', 'external-contents': '" +
            (folder_ / "other.hip").string() + "'}]}");
  request_.overlay = folder_ / "overlay.yaml";
  const auto result = compile_device(request_);
  ASSERT_TRUE(result.succeeded) << result.problem;
  EXPECT_EQ(read_kernels(request_.output).at(0).symbol, "_Z3twoPi");
}

TEST_F(DeviceCompileTest, AnErrorIsToldInOneLine) {
  write("k.hip", "#warning first\n__attribute__((global)) void one(int* p) { *q = 1; }\n");
  const auto result = compile_device(request_);
  EXPECT_FALSE(result.succeeded);
  EXPECT_NE(result.problem.find("use of undeclared identifier 'q'"), std::string::npos)
      << result.problem;
  EXPECT_EQ(result.problem.find('\n'), std::string::npos);
}

TEST_F(DeviceCompileTest, AMissingCompilerThrows) {
  write("k.hip", kKernel);
  request_.command.arguments[0] = "/nowhere/clang++";
  EXPECT_THROW(compile_device(request_), std::system_error);
}

}  // namespace
}  // namespace geak::optimizer
