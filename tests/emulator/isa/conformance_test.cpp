// Runs every case of the tables on the targets that have the instruction.
#include "tests/emulator/isa/conformance.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace geak::emulator::testing {
namespace {

// GEAK_TEST_SIMD=avx2 or baseline: the versions for older hosts, which the dispatcher takes there.
const bool targets_chosen = [] {
  const char* chosen = std::getenv("GEAK_TEST_SIMD");
  const std::string_view simd = chosen ? chosen : "";
  if (simd == "avx2") hwy::DisableTargets(HWY_AVX3 | HWY_AVX3_DL);
  if (simd == "baseline") hwy::DisableTargets(HWY_AVX3 | HWY_AVX3_DL | HWY_AVX2);
  return true;
}();

template <class Case>
void run_all(const std::vector<Case>& cases, Arch arch) {
  ASSERT_FALSE(cases.empty());
  for (const Case& test : cases) {
    if constexpr (std::is_same_v<Case, VectorCase>)
      if (std::find(test.archs.begin(), test.archs.end(), arch) == test.archs.end()) continue;
    const std::string problem = run_case(test, arch);
    EXPECT_TRUE(problem.empty()) << problem;
  }
}

TEST(Conformance, VectorOnGfx90a) { run_all(vector_cases(), Arch::gfx90a); }
TEST(Conformance, VectorOnGfx942) { run_all(vector_cases(), Arch::gfx942); }
TEST(Conformance, ScalarOnGfx90a) { run_all(scalar_cases(), Arch::gfx90a); }
TEST(Conformance, ScalarOnGfx942) { run_all(scalar_cases(), Arch::gfx942); }

}  // namespace
}  // namespace geak::emulator::testing
