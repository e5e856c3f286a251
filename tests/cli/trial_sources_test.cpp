#include "cli/trial_sources.h"

#include <gtest/gtest.h>

namespace geak::cli {
namespace {

using Types = std::vector<std::string>;

// Types of the user's, templates among them: what the symbol itself says, long after it was read.
TEST(ParameterTypes, AreReadFromTheSymbol) {
  const TrialCompiler unused;
  for (int again = 0; again < 20; ++again) {
    EXPECT_EQ(parameter_types("_Z4stepP8ParticlePKN6detail4PairIfiEEfi", {}, unused),
              (Types{"Particle*", " detail::Pair<float, int> const*", " float", " int"}));
    EXPECT_EQ(parameter_types("_Z4stepP8Particlef.static.0123456789abcdef", {}, unused),
              (Types{"Particle*", " float"}));
  }
}

TEST(ParameterTypes, AreUnknownForANameOfC) {
  EXPECT_TRUE(parameter_types("step", {}, {}).empty());
}

}  // namespace
}  // namespace geak::cli
