#include "support/atomic_file.h"

#include <gtest/gtest.h>

#include <stdlib.h>
#include <unistd.h>

namespace geak::support {
namespace {
namespace fs = std::filesystem;

class AtomicFile : public ::testing::Test {
 protected:
  AtomicFile() {
    std::string form = (fs::temp_directory_path() / "geak-atomic-XXXXXX").string();
    folder_ = ::mkdtemp(form.data());
  }
  ~AtomicFile() override { fs::remove_all(folder_); }
  fs::path folder_;
};

TEST_F(AtomicFile, MakesFoldersAndLeavesNoTemporaryFile) {
  write_atomically(folder_ / "a/b.txt", "text");
  EXPECT_EQ(read_file(folder_ / "a/b.txt"), "text");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_ / "a"), {}), 1);
}

TEST_F(AtomicFile, LeavesEqualContentAlone) {
  const fs::path path = folder_ / "b.txt";
  EXPECT_TRUE(write_if_changed(path, "text"));
  const auto old = fs::file_time_type::clock::now() - std::chrono::hours(1);
  fs::last_write_time(path, old);
  const auto stamp = fs::last_write_time(path);
  EXPECT_FALSE(write_if_changed(path, "text"));
  EXPECT_EQ(fs::last_write_time(path), stamp);
  EXPECT_TRUE(write_if_changed(path, "other"));
  EXPECT_EQ(read_file(path), "other");
}

TEST_F(AtomicFile, TellsMissingFromUnreadable) {
  EXPECT_EQ(read_file(folder_ / "missing"), std::nullopt);
  if (::geteuid() == 0) GTEST_SKIP() << "root reads everything";
  write_atomically(folder_ / "hidden", "text");
  fs::permissions(folder_ / "hidden", fs::perms::none);
  EXPECT_THROW(read_file(folder_ / "hidden"), std::runtime_error);
}

TEST_F(AtomicFile, NamesThePathThatItCannotWrite) {
  write_atomically(folder_ / "file", "text");
  try {
    write_atomically(folder_ / "file/below", "text");
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find((folder_ / "file").string()), std::string::npos);
  }
  EXPECT_EQ(read_file(folder_ / "file"), "text");
}

}  // namespace
}  // namespace geak::support
