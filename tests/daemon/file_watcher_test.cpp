#include "daemon/file_watcher.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <future>

#include "tests/daemon/temporary_folder.h"

namespace geak::daemon {
namespace {

// The first reported path that ends in `name`; empty when none came. The limit only bounds a
// failure.
std::string first_report(const TemporaryFolder& folder, const std::string& name,
                         const std::function<void()>& change) {
  std::promise<std::string> seen;
  std::atomic<bool> done{false};
  auto watcher = FileWatcher::watch({folder.path()}, [&](const std::string& path) {
    if (path.ends_with(name) && !done.exchange(true)) seen.set_value(path);
  });
  EXPECT_TRUE(bool(watcher));
  change();
  auto future = seen.get_future();
  const bool came = future.wait_for(std::chrono::seconds(30)) == std::future_status::ready;
  return came ? future.get() : std::string();
}

TEST(FileWatcher, SeesAWrite) {
  TemporaryFolder folder;
  folder.write("a.hip", "1");
  EXPECT_EQ(first_report(folder, "a.hip", [&] { folder.write("a.hip", "2"); }),
            folder.path() + "/a.hip");
}

TEST(FileWatcher, SeesAFileReplacedByRename) {
  TemporaryFolder folder;
  folder.write("a.hip", "1");
  folder.write("new", "2");
  EXPECT_EQ(first_report(
                folder, "a.hip",
                [&] { std::filesystem::rename(folder.path() + "/new", folder.path() + "/a.hip"); }),
            folder.path() + "/a.hip");
}

TEST(FileWatcher, AMissingFolderIsAnErrorThatNamesIt) {
  auto watcher = FileWatcher::watch({"/nowhere/at/all"}, [](const std::string&) {});
  ASSERT_FALSE(bool(watcher));
  EXPECT_NE(llvm::toString(watcher.takeError()).find("/nowhere/at/all"), std::string::npos);
}

}  // namespace
}  // namespace geak::daemon
