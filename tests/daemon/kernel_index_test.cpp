#include "daemon/kernel_index.h"

#include <gtest/gtest.h>

namespace geak::daemon {
namespace {

constexpr const char* kStatus = R"json({"schema": 1, "kernels": [
  {"target": "app", "kernel": "detail::scan<float>", "file": "/src/a.hip", "line": 12,
   "state": "optimized", "ratio": 1.5, "evidence": "modelled(gfx90a)",
   "verification": "verified(emulated gfx90a)"},
  {"target": "app", "kernel": "blur", "file": "/src/b.hip", "line": 3, "state": "marked"}]})json";

TEST(ParseStatus, ReadsKernelsWithZeroBasedLines) {
  auto kernels = parse_status("/build", kStatus);
  ASSERT_TRUE(bool(kernels)) << llvm::toString(kernels.takeError());
  ASSERT_EQ(kernels->size(), 2u);
  EXPECT_EQ((*kernels)[0].line, 11);
  EXPECT_EQ((*kernels)[0].short_name(), "scan");
  EXPECT_EQ((*kernels)[0].build_folder, "/build");
  EXPECT_EQ((*kernels)[1].ratio, std::nullopt);
}

TEST(ParseStatus, RefusesWhatIsNotAStatus) {
  for (const char* text : {"", "[]", "{}", R"({"kernels": [{"target": "app"}]})"}) {
    auto kernels = parse_status("/build", text);
    EXPECT_FALSE(bool(kernels)) << text;
    llvm::consumeError(kernels.takeError());
  }
}

TEST(KernelIndex, ARefreshReplacesItsBuildFolderOnly) {
  KernelIndex index;
  auto kernels = parse_status("/build", kStatus);
  ASSERT_TRUE(bool(kernels));
  index.replace("/build", *kernels);
  index.replace("/other", *kernels);
  EXPECT_EQ(index.in_file("/src/a.hip").size(), 2u);
  index.replace("/other", {});
  EXPECT_EQ(index.in_file("/src/a.hip").size(), 1u);
  EXPECT_EQ(index.all().size(), 2u);
}

}  // namespace
}  // namespace geak::daemon
