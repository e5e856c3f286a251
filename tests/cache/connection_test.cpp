#include "cache/connection.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <fstream>

#include "tests/cache/fixture.h"

namespace geak::cache {
namespace {

namespace fs = std::filesystem;

// Permissions don't stop root: while one of these lives, the test is an ordinary user.
class AsOrdinaryUser {
 public:
  AsOrdinaryUser() : was_root_(geteuid() == 0) {
    if (was_root_ && seteuid(65534) != 0) ADD_FAILURE() << "cannot become an ordinary user";
  }
  ~AsOrdinaryUser() {
    if (was_root_ && seteuid(0) != 0) ADD_FAILURE() << "cannot become root again";
  }

 private:
  bool was_root_;
};

class DamagedCacheTest : public CacheTest {
 protected:
  void fill() {
    auto cache = Cache::to_write(path_);
    cache.remember(blur_, key("k"));
    for (int n = 0; n < 200; ++n)
      cache.add_verified("k", variant(std::to_string(n)), evidence(1.5, modelled_));
  }
  int set_aside() const {
    int count = 0;
    for (const auto& entry : fs::directory_iterator(folder_))
      count += entry.path().filename().string().starts_with("geak.db.corrupt-") &&
               entry.path().string().ends_with("Z");
    return count;
  }
  void overwrite(std::streamoff at, const std::string& bytes) {
    std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(at);
    file << bytes;
  }
};

TEST_F(CacheTest, MissingFileIsAnEmptyCacheAndStaysMissing) {
  const auto cache = Cache::to_read(path_);
  EXPECT_EQ(cache.problem(), "");
  EXPECT_FALSE(cache.best("k", modelled_));
  EXPECT_TRUE(cache.known_keys(blur_).empty());
  EXPECT_FALSE(fs::exists(path_));
}

TEST_F(DamagedCacheTest, ReaderReportsAndChangesNothing) {
  std::ofstream(path_) << std::string(5000, 'x');
  const auto cache = Cache::to_read(path_);
  EXPECT_NE(cache.problem().find(path_.string()), std::string::npos) << cache.problem();
  EXPECT_FALSE(cache.best("k", modelled_));
  EXPECT_EQ(fs::file_size(path_), 5000u);
  EXPECT_EQ(set_aside(), 0);
}

TEST_F(DamagedCacheTest, WriterMovesGarbageAsideAndStartsANewOne) {
  std::ofstream(path_) << std::string(5000, 'x');
  auto cache = Cache::to_write(path_);
  EXPECT_NE(cache.notice().find("moved to"), std::string::npos) << cache.notice();
  cache.remember(blur_, key("k"));
  EXPECT_TRUE(Cache::to_read(path_).key("k"));
  EXPECT_EQ(set_aside(), 1);
}

TEST_F(DamagedCacheTest, DamageInTheMiddleIsNoticed) {
  fill();
  overwrite(4096 * 5, std::string(4096 * 8, '\x5a'));
  const auto reader = Cache::to_read(path_);
  EXPECT_LE(reader.verified("k").size(), 200u);  // whatever is left, but no crash
  auto writer = Cache::to_write(path_);
  EXPECT_NE(writer.notice(), "");
  EXPECT_FALSE(writer.key("k"));
}

TEST_F(DamagedCacheTest, TruncationIsNoticed) {
  fill();
  fs::resize_file(path_, 4096 * 3 + 100);
  const auto reader = Cache::to_read(path_);
  EXPECT_TRUE(reader.verified("k").empty());
  EXPECT_NE(reader.problem(), "");
  EXPECT_NE(Cache::to_write(path_).notice(), "");
}

TEST_F(DamagedCacheTest, AnEmptyFileIsANewCache) {
  std::ofstream(path_).flush();
  EXPECT_EQ(Cache::to_read(path_).problem(), "");
  EXPECT_EQ(Cache::to_write(path_).notice(), "");
}

TEST_F(CacheTest, AnotherProgramsDatabaseIsLeftAlone) {
  {
    SQLite::Database other(path_.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    other.exec("CREATE TABLE songs (title TEXT); PRAGMA user_version = 1");
  }
  EXPECT_NE(Cache::to_read(path_).problem().find("another program"), std::string::npos);
  EXPECT_THROW(Cache::to_write(path_), CacheError);
  SQLite::Database other(path_.string());
  EXPECT_TRUE(other.tableExists("songs"));
  EXPECT_FALSE(other.tableExists("kernels"));
}

TEST_F(CacheTest, ReadOnlyFolderReadsAndRefusesWritesClearly) {
  {
    auto cache = Cache::to_write(path_);
    cache.remember(blur_, key("k"));
    cache.add_verified("k", variant("aa"), evidence(1.5, modelled_));
  }
  fs::permissions(path_, fs::perms(0444));
  fs::permissions(folder_, fs::perms(0555));
  {
    const AsOrdinaryUser user;
    const auto reader = Cache::to_read(path_);
    EXPECT_EQ(reader.problem(), "");
    EXPECT_TRUE(reader.best("k", modelled_));
    try {
      Cache::to_write(path_);
      ADD_FAILURE() << "wrote a read-only cache";
    } catch (const CacheError& error) {
      EXPECT_NE(std::string(error.what()).find("GEAK_CACHE_DIR"), std::string::npos)
          << error.what();
    }
  }
  fs::permissions(folder_, fs::perms(0755));
}

TEST_F(CacheTest, UnreadableFileIsReported) {
  Cache::to_write(path_).remember(blur_, key("k"));
  fs::permissions(path_, fs::perms(0000));
  const AsOrdinaryUser user;
  const auto reader = Cache::to_read(path_);
  EXPECT_NE(reader.problem(), "");
  EXPECT_FALSE(reader.key("k"));
}

TEST_F(CacheTest, FolderThatCannotBeMadeIsAClearError) {
  std::ofstream(folder_ / "file").flush();
  EXPECT_THROW(Cache::to_write(folder_ / "file" / "sub" / "geak.db"), CacheError);
  EXPECT_FALSE(Cache::to_read(folder_ / "file" / "sub" / "geak.db").key("k"));
}

TEST_F(CacheTest, PathsWithSignsOfUrisWork) {
  const auto odd = folder_ / "a%20b?c#d" / "geak.db";
  Cache::to_write(odd).remember(blur_, key("k"));
  fs::permissions(odd.parent_path(), fs::perms(0555));
  {
    const AsOrdinaryUser user;
    EXPECT_TRUE(Cache::to_read(odd).key("k"));
  }
  fs::permissions(odd.parent_path(), fs::perms(0755));
}

}  // namespace
}  // namespace geak::cache
