#include "optimizer/device_arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace geak::optimizer {
namespace {

using testing::Contains;
using testing::IsSupersetOf;
using testing::Not;

std::vector<std::string> rewritten(std::vector<std::string> arguments) {
  return device_arguments({"/s/a.hip", "/b", std::move(arguments)}, "gfx90a", {"-DGEAK"},
                          "/t/a.co");
}

TEST(DeviceArguments, KeepsTheCompilerAndWhatCanChangeTheCode) {
  const auto out =
      rewritten({"/usr/bin/hipcc", "-DN=4", "-I/inc", "-isystem", "/sys", "-O3", "-ffast-math",
                 "-std=gnu++17", "-o", "CMakeFiles/a.o", "-c", "-x", "hip", "/s/a.hip"});
  EXPECT_EQ(out[0], "/usr/bin/hipcc");
  EXPECT_THAT(out, IsSupersetOf({"-DN=4", "-I/inc", "-isystem", "/sys", "-O3", "-ffast-math",
                                 "-std=gnu++17", "-x", "hip", "/s/a.hip", "--cuda-device-only",
                                 "-DGEAK", "/t/a.co"}));
  EXPECT_THAT(out, Not(Contains("CMakeFiles/a.o")));
  EXPECT_EQ(std::count(out.begin(), out.end(), "-c"), 1);
}

TEST(DeviceArguments, OneArchitectureIsLeft) {
  const auto out = rewritten({"clang++", "--offload-arch=gfx942", "--offload-arch=gfx90a",
                              "--cuda-gpu-arch=gfx906", "-c", "/s/a.hip"});
  EXPECT_EQ(std::count_if(
                out.begin(), out.end(),
                [](const auto& argument) { return argument.find("-arch=") != std::string::npos; }),
            1);
  EXPECT_THAT(out, Contains("--offload-arch=gfx90a"));
}

TEST(DeviceArguments, DependencyFilesAndOtherOutputsAreTakenOff) {
  const auto out =
      rewritten({"clang++", "-MD", "-MT", "a.o", "-MF", "a.d", "-MFjoined.d", "-oa/b.o",
                 "-save-temps=obj", "-fgpu-rdc", "--offload-compress", "-c", "/s/a.hip"});
  for (const char* gone : {"-MD", "-MT", "a.o", "-MF", "a.d", "-MFjoined.d", "-oa/b.o",
                           "-save-temps=obj", "-fgpu-rdc", "--offload-compress"})
    EXPECT_THAT(out, Not(Contains(gone)));
  EXPECT_THAT(out, Contains("/s/a.hip"));
}

}  // namespace
}  // namespace geak::optimizer
