#include "cli/fidelity_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace geak::cli {
namespace {

using ::testing::HasSubstr;

class FidelityReportTest : public ::testing::Test {
 protected:
  FidelityReportTest() { std::filesystem::create_directories(folder_); }
  ~FidelityReportTest() override { std::filesystem::remove_all(folder_); }
  void write(const std::string& process, const std::string& content) const {
    std::ofstream(folder_ / ("executed." + process)) << content;
  }
  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("geak-fidelity-test-" + std::to_string(::getpid()));
};

TEST_F(FidelityReportTest, ProcessesAreAddedAndTheInexactComesFirst) {
  write("1", R"([{"instruction": "v_add_f32", "executed": 5, "fidelity": "exact", "note": ""}])");
  write("2", R"([{"instruction": "v_add_f32", "executed": 7, "fidelity": "exact", "note": ""},
                 {"instruction": "v_rcp_f32", "executed": 1, "fidelity": "approximate",
                  "note": "1 ulp"}])");
  const auto executed = collect_fidelity(folder_ / "executed");
  ASSERT_EQ(executed.size(), 2u);
  EXPECT_EQ(executed[0].name, "v_rcp_f32");
  EXPECT_EQ(executed[1].executed, 12u);
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
  const std::string text = fidelity_text(executed);
  EXPECT_THAT(text, HasSubstr("2 different instructions, 13 executed by waves: 1 exact, 1 approx"));
  EXPECT_THAT(text, HasSubstr("approximate: 1 ulp"));
}

TEST_F(FidelityReportTest, AFileOfSomethingElseIsAnError) {
  write("1", "half a fi");
  EXPECT_THROW(collect_fidelity(folder_ / "executed"), std::runtime_error);
}

}  // namespace
}  // namespace geak::cli
