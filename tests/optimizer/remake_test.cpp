// What `geak remake` refuses and leaves out; that its code objects run is driven end to end
// (tests/e2e/worker.sh).
#include "optimizer/remake.h"

#include <gtest/gtest.h>

#include <fstream>

#include "support/scratch_folder.h"

namespace geak::optimizer {
namespace {

class RemakeTest : public ::testing::Test {
 protected:
  std::string refusal_of(const std::string& text) {
    const auto file = scratch_.path() / "result.json";
    std::ofstream(file) << text;
    RemakeSettings settings;
    settings.build = scratch_.path();
    settings.output = scratch_.path() / "output";
    settings.results = {file};
    try {
      remake(settings);
    } catch (const std::exception& error) {
      return error.what();
    }
    return "";
  }

  const support::ScratchFolder scratch_{"geak-remake-test"};
};

TEST_F(RemakeTest, RefusesWhatIsNoResult) {
  EXPECT_NE(refusal_of(R"({"schema": 1})").find("no result of geak-worker"), std::string::npos);
  EXPECT_NE(refusal_of(R"({"schema": 2, "kernels": []})").find("another schema"),
            std::string::npos);
  EXPECT_NE(refusal_of("{"), "");
}

TEST_F(RemakeTest, ABuildWithoutMarkedKernelsHasNothingToMake) {
  EXPECT_EQ(refusal_of(R"({"schema": 1, "kernels": []})"), "");
}

}  // namespace
}  // namespace geak::optimizer
