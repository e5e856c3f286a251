// Other processes write at the same time, or die while they do.
#include <SQLiteCpp/SQLiteCpp.h>
#include <sys/wait.h>

#include <csignal>
#include <functional>

#include "tests/cache/fixture.h"

namespace geak::cache {
namespace {

class ConcurrencyTest : public CacheTest {
 protected:
  static pid_t in_child(const std::function<void()>& work) {
    const pid_t child = fork();
    if (child != 0) return child;
    try {
      work();
    } catch (const std::exception& error) {
      fprintf(stderr, "child: %s\n", error.what());
      _exit(1);
    }
    _exit(0);
  }
  static int status_of(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    return status;
  }
  void write_variants(const std::string& prefix, int count) const {
    auto cache = Cache::to_write(path_);
    cache.remember(blur_, key("k"));
    for (int n = 0; n < count; ++n)
      cache.add_verified("k", variant(prefix + std::to_string(n)), evidence(1.5, modelled_));
  }
};

TEST_F(ConcurrencyTest, WritersThatStartOnAnEmptyFolderLoseNothing) {
  std::vector<pid_t> children;
  for (int n = 0; n < 6; ++n)
    children.push_back(
        in_child([&, n] { write_variants(std::string(1, static_cast<char>('a' + n)), 25); }));
  for (const pid_t child : children) EXPECT_EQ(status_of(child), 0);
  EXPECT_EQ(Cache::to_read(path_).verified("k").size(), 150u);
}

TEST_F(ConcurrencyTest, AKilledWriterLeavesWholeWritesOnly) {
  for (int round = 0; round < 5; ++round) {
    const std::string prefix(1, static_cast<char>('a' + round));
    const pid_t child = in_child([&] { write_variants(prefix, 1'000'000); });
    const auto count = [&] { return Cache::to_read(path_).verified("k").size(); };
    const auto before = count();
    while (count() < before + 3) usleep(2000);
    kill(child, SIGKILL);
    EXPECT_EQ(WTERMSIG(status_of(child)), SIGKILL);

    auto cache = Cache::to_write(path_);
    EXPECT_EQ(cache.notice(), "");
    cache.remember(blur_, key("k"));
    SQLite::Database database(path_.string());
    const auto rows = [&](const char* table) {
      return database.execAndGet(std::string("SELECT count(*) FROM ") + table).getInt();
    };
    EXPECT_EQ(rows("variants"), rows("evidence"));
    EXPECT_EQ(rows("variants"), rows("trials"));
  }
}

TEST_F(ConcurrencyTest, TwoWritersMendOneDamageOnce) {
  {
    FILE* file = fopen(path_.c_str(), "w");
    for (int n = 0; n < 5000; ++n) fputc('x', file);
    fclose(file);
  }
  std::vector<pid_t> children;
  for (int n = 0; n < 4; ++n)
    children.push_back(
        in_child([&, n] { write_variants(std::string(1, static_cast<char>('a' + n)), 5); }));
  for (const pid_t child : children) EXPECT_EQ(status_of(child), 0);
  EXPECT_EQ(Cache::to_read(path_).verified("k").size(), 20u);
  int aside = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_))
    aside += entry.path().filename().string().find(".corrupt-") != std::string::npos;
  EXPECT_EQ(aside, 1);
}

}  // namespace
}  // namespace geak::cache
