#include "cmake-module/selection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace geak::cmake_module {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class SelectionTest : public ::testing::Test {
 protected:
  // A folder for each test: CTest runs them side by side.
  SelectionTest() {
    std::string name = ::testing::TempDir() + "geak_selection_test_XXXXXX";
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed: " + name);
    folder_ = name;
  }
  ~SelectionTest() override { fs::remove_all(folder_); }

  fs::path write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }

  fs::path folder_;
};

TEST_F(SelectionTest, ReadsAllKeys) {
  const Selection selection = read_selection(
      write("s", "version=1\nvariant=0af9\noverlay=/b/o=1.yaml\nfile=/b/1.hip\nfile=/b/2.h\n"));
  EXPECT_EQ(selection.variant, "0af9");
  EXPECT_EQ(selection.overlay, "/b/o=1.yaml");
  EXPECT_THAT(selection.needed, ElementsAre(fs::path("/b/1.hip"), fs::path("/b/2.h")));
}

TEST_F(SelectionTest, MissingOrEmptySelectsTheOriginal) {
  EXPECT_THAT(read_selection(folder_ / "none").variant, IsEmpty());
  EXPECT_THAT(read_selection(write("s", "")).variant, IsEmpty());
}

TEST_F(SelectionTest, RefusesWhatItDoesNotUnderstand) {
  for (const char* text : {"nonsense\n", "version=2\n", "variant=/etc\noverlay=/o\n",
                           "version=1\nvariant=0a\n", "variant=0a;b\noverlay=/o\n"}) {
    try {
      read_selection(write("s", text));
      FAIL() << "accepted: " << text;
    } catch (const std::runtime_error& error) {
      EXPECT_THAT(error.what(), HasSubstr((folder_ / "s").string()));
    }
  }
}

TEST_F(SelectionTest, FindsTheSourceByAnyOfItsNames) {
  const fs::path source = write("a.cpp", "");
  fs::create_directory_symlink(folder_, folder_ / "link");
  const fs::path index = write("index", source.string() + "\t/select/0.selection\n");
  for (const std::string& name :
       {source.string(), (folder_ / "." / "a.cpp").string(), (folder_ / "link/a.cpp").string()}) {
    const auto entry = find_source(index, {"clang++", "-c", name, "-o", "a.o"});
    ASSERT_TRUE(entry) << name;
    EXPECT_EQ(entry->argument, name);
    EXPECT_EQ(entry->selection_file, "/select/0.selection");
  }
}

TEST_F(SelectionTest, OtherCommandsHaveNoSource) {
  const fs::path source = write("a.cpp", "");
  const fs::path index = write("index", source.string() + "\t/select/0.selection\n");
  EXPECT_FALSE(find_source(index, {"clang++", "-c", (folder_ / "b.cpp").string()}));
  EXPECT_FALSE(find_source(index, {"clang++", "-o", source.string(), "-c", "/b.cpp"}));
  EXPECT_FALSE(find_source(index, {"clang++", "-include", source.string(), "/b.cpp"}));
}

TEST_F(SelectionTest, AMissingIndexIsAnError) {
  EXPECT_THROW(find_source(folder_ / "none", {"clang++"}), std::runtime_error);
}

}  // namespace
}  // namespace geak::cmake_module
