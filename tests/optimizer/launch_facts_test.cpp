#include "optimizer/launch_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "tests/clang-tool/project.h"

namespace geak::optimizer {
namespace {

using testing::ElementsAre;
using testing::Optional;

constexpr const char* kSource = R"(
#include <hip/hip_runtime.h>
enum class Mode : unsigned char { fast = 3 };
struct Pair { float a, b; };
__global__ void mixed(const float* in, int n, bool flag, short s, Pair pair, long long big, Mode mode,
                      unsigned last) {}
)";

// As `mixed` takes them; device and host agree on its layout.
struct Arguments {
  std::uint64_t in = 0x7f0012345680;
  std::int32_t n = -7;
  bool flag = true;
  std::int16_t s = -300;
  float pair[2] = {1, 2};
  std::int64_t big = 1ll << 40;
  std::uint8_t mode = 3;
  std::uint32_t last = 0xffffffff;
};

class LaunchFactsTest : public testing::Test {
 protected:
  LaunchFactsTest() {
    project_.write("a.hip", kSource);
    const auto command = project_.command("a.hip", {}, "/usr/bin/hipcc");
    kernel_.unit = std::make_shared<clang_tool::TranslationUnit>(
        clang_tool::TranslationUnit::parse(command, clang_tool::Pass::device));
    kernel_.kernel = clang_tool::extract_kernels(*kernel_.unit).at(0);
    kernel_.instantiation = kernel_.kernel.instantiations.at(0);
    kernel_.command = command;
    const Arguments arguments;
    kernarg_.resize(sizeof arguments);
    std::memcpy(kernarg_.data(), &arguments, sizeof arguments);
  }
  clang_tool::testing::Project project_;
  MarkedKernel kernel_;
  std::vector<std::uint8_t> kernarg_;
};

TEST_F(LaunchFactsTest, IntegersAndPointersHaveValuesStructsDoNot) {
  EXPECT_THAT(argument_values(kernel_, kernarg_),
              ElementsAre(Optional(0x7f0012345680), Optional(-7), Optional(1), Optional(-300),
                          std::nullopt, Optional(1ll << 40), Optional(3), Optional(0xffffffffll)));
}

TEST_F(LaunchFactsTest, BytesThatEndEarlyGiveNoValues) {
  kernarg_.resize(10);
  const auto values = argument_values(kernel_, kernarg_);
  ASSERT_EQ(values.size(), 8u);
  EXPECT_THAT(values[0], Optional(0x7f0012345680));
  for (std::size_t at = 1; at < values.size(); ++at) EXPECT_EQ(values[at], std::nullopt) << at;
}

}  // namespace
}  // namespace geak::optimizer
