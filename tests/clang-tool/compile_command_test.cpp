#include "clang-tool/compile_command.h"

#include <gmock/gmock.h>

#include "project.h"

namespace geak::clang_tool {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(CompileCommand, IsReadFromTheDatabase) {
  testing::Project project;
  project.write("a.hip", "");
  project.write_database({project.command("a.hip"), project.command("b.cpp", {}, "hipcc")});
  const auto commands = read_compile_commands(project.path());
  ASSERT_EQ(commands.size(), 2U);
  EXPECT_EQ(commands[0].file, (project.path() / "a.hip").string());
  EXPECT_EQ(commands_for(commands, project.path() / "a.hip").size(), 1U);
  EXPECT_TRUE(is_hip(commands[1])) << "hipcc compiles .cpp files as HIP";
}

TEST(CompileCommand, SaysWhatToDoWithoutADatabase) {
  testing::Project project;
  try {
    read_compile_commands(project.path());
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("CMAKE_EXPORT_COMPILE_COMMANDS"));
  }
  project.write("compile_commands.json", "[{]");
  EXPECT_THROW(read_compile_commands(project.path()), std::runtime_error);
}

TEST(CompileCommand, TellsHipFromTheCommandNotTheExtension) {
  EXPECT_TRUE(is_hip({"/p/a.cpp", "/p", {"clang++", "-x", "hip", "-c", "a.cpp"}}));
  EXPECT_FALSE(is_hip({"/p/a.cpp", "/p", {"clang++", "-c", "a.cpp"}}));
  EXPECT_FALSE(is_hip({"/p/a.cpp", "/p", {"hipcc", "-x", "c++", "-c", "a.cpp"}}));
  EXPECT_TRUE(is_hip({"/p/a.hip", "/p", {"clang++", "-c", "a.hip"}}));
}

TEST(CompileCommand, ListsTheTargets) {
  EXPECT_THAT(architectures({"/p/a.hip",
                             "/p",
                             {"hipcc", "--offload-arch=gfx90a:xnack-,gfx942",
                              "--amdgpu-target=gfx942", "a.hip"}}),
              ElementsAre("gfx90a:xnack-", "gfx942"));
}

TEST(CompileCommand, KeepsForTheParserWhatTheParserNeeds) {
  testing::Project project;
  const auto line = parser_arguments(
      project.command("a.hip", {"-DN=4", "-I", "include", "-std=c++20", "-MD", "-MF", "a.d",
                                "-Wall", "--no-such-option", "-mllvm", "-inline-threshold=1"}),
      Pass::device);
  for (const char* kept : {"N=4", "-std=c++20", "--cuda-device-only", "--offload-arch=gfx90a"})
    EXPECT_THAT(line, Contains(kept));
  for (const char* dropped : {"-MD", "a.d", "-Wall", "--no-such-option", "-c", "a.hip.o", "-mllvm"})
    EXPECT_THAT(line, Not(Contains(dropped)));
}

}  // namespace
}  // namespace geak::clang_tool
