#include <gtest/gtest.h>

#include "daemon/session.h"

namespace geak::daemon {
namespace {

// Every state that a user can see says how a number was obtained, and nothing claims a gain that
// was not found.
TEST(Describe, ARatioAlwaysCarriesItsEvidence) {
  KernelState kernel;
  kernel.state = "swapped";
  kernel.ratio = 1.5;
  kernel.evidence = "modelled(gfx90a)";
  kernel.verification = "verified(emulated gfx90a)";
  EXPECT_EQ(describe(kernel, ""), "1.50x modelled(gfx90a), verified(emulated gfx90a)");
  kernel.state = "no_gain";
  EXPECT_EQ(describe(kernel, "").find("1.50"), std::string::npos);
}

TEST(Describe, WorkInProgressComesFirst) {
  KernelState kernel;
  kernel.state = "swapped";
  kernel.ratio = 1.5;
  EXPECT_EQ(describe(kernel, "3 of 40"), "optimizing: 3 of 40");
}

TEST(TextAt, WalksObjectsAndToleratesAnythingElse) {
  const llvm::json::Value value =
      llvm::json::Object{{"a", llvm::json::Object{{"b", "text"}, {"c", 1}}}};
  EXPECT_EQ(text_at(value, "a.b"), "text");
  EXPECT_EQ(text_at(value, "a.c"), "");
  EXPECT_EQ(text_at(value, "a.b.c"), "");
  EXPECT_EQ(text_at(nullptr, "a"), "");
}

TEST(ClientSupport, IsReadFromWhatTheClientTells) {
  const llvm::json::Object capabilities{
      {"window", llvm::json::Object{{"workDoneProgress", true}}},
      {"workspace",
       llvm::json::Object{{"codeLens", llvm::json::Object{{"refreshSupport", true}}}}}};
  const auto support = ClientSupport::from_initialize(
      llvm::json::Object{{"capabilities", llvm::json::Object(capabilities)}});
  EXPECT_TRUE(support.work_done_progress);
  EXPECT_TRUE(support.code_lens_refresh);
  EXPECT_FALSE(support.show_document);
  EXPECT_FALSE(ClientSupport::from_initialize({}).work_done_progress);
}

TEST(FileAt, RefusesWhatIsNoFile) {
  auto file = file_at(llvm::json::Object{{"uri", "untitled:x"}}, "uri");
  EXPECT_FALSE(bool(file));
  llvm::consumeError(file.takeError());
}

}  // namespace
}  // namespace geak::daemon
