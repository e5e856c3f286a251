// Runs every case of the tables on the targets that have the instruction.
#include "tests/emulator/isa/conformance.h"

#include <gtest/gtest.h>

namespace geak::emulator::testing {
namespace {

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
