#include "daemon/build_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/daemon/temporary_folder.h"

namespace geak::daemon {
namespace {

TEST(BuildFolder, ReadsTargetsAndTheirSources) {
  TemporaryFolder folder;
  folder.write("geak/targets/app.json",
               R"({"target": "app", "sources": [{"path": "/src/a.hip"}, {"path": "/src/b.hip"}]})");
  folder.write("geak/targets/notes.txt", "not a manifest");
  auto build = BuildFolder::read(folder.path());
  ASSERT_TRUE(bool(build)) << llvm::toString(build.takeError());
  ASSERT_EQ(build->targets.size(), 1u);
  EXPECT_EQ(build->target_of("/src/b.hip"), "app");
  EXPECT_EQ(build->target_of("/src/c.hip"), std::nullopt);
}

TEST(BuildFolder, NamesTheManifestItCannotRead) {
  TemporaryFolder folder;
  for (const char* text :
       {"{", "[]", R"({"target": "app"})", R"({"target": "a", "sources": [{}]})"}) {
    folder.write("geak/targets/bad.json", text);
    auto build = BuildFolder::read(folder.path());
    ASSERT_FALSE(bool(build)) << text;
    EXPECT_NE(llvm::toString(build.takeError()).find("targets/bad.json"), std::string::npos);
  }
}

TEST(BuildFolder, AFolderWithNothingMarkedSaysSo) {
  TemporaryFolder folder;
  auto build = BuildFolder::read(folder.path());
  ASSERT_FALSE(bool(build));
  EXPECT_NE(llvm::toString(build.takeError()).find("geak_optimize"), std::string::npos);
}

TEST(FindBuildFolders, LooksWherePresetsPutThemAndBehindTheLink) {
  TemporaryFolder workspace, elsewhere;
  workspace.write("build/geak/targets/app.json", "{}");
  workspace.write("out/debug/geak/targets/app.json", "{}");
  workspace.write("src/main.hip", "");
  elsewhere.write("geak/targets/app.json", "{}");
  elsewhere.write("compile_commands.json", "[]");
  std::filesystem::create_symlink(elsewhere.path() + "/compile_commands.json",
                                  workspace.path() + "/compile_commands.json");
  EXPECT_EQ(find_build_folders(workspace.path()).size(), 3u);
}

}  // namespace
}  // namespace geak::daemon
