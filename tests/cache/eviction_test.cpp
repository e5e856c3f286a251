#include <SQLiteCpp/SQLiteCpp.h>

#include "tests/cache/fixture.h"

namespace geak::cache {
namespace {

class EvictionTest : public CacheTest {
 protected:
  // Keys "k0", "k1", ... of 64 KiB each, k0 seen the longest ago.
  void fill(int keys) {
    auto cache = Cache::to_write(path_);
    for (int n = 0; n < keys; ++n) {
      const std::string digest = "k" + std::to_string(n);
      cache.remember({"/src/f.hip", digest, ""}, key(digest));
      auto big = variant("aa");
      big.text.assign(64 << 10, 'x');
      cache.add_verified(digest, big, evidence(2, modelled_));
    }
    SQLite::Database database(path_.string(), SQLite::OPEN_READWRITE, 1000);
    for (int n = 0; n < keys; ++n)
      database.exec("UPDATE keys SET last_seen = " + std::to_string(1000 + n) +
                    " WHERE digest = 'k" + std::to_string(n) + "'");
  }
};

TEST_F(EvictionTest, DropsTheLeastRecentlySeenWithAllThatHangsOnThem) {
  fill(10);
  auto cache = Cache::to_write(path_);
  cache.remember({"/src/f.hip", "k0", ""}, key("k0"));  // seen now
  const int dropped = cache.evict_to(400 << 10);
  EXPECT_GT(dropped, 3);
  EXPECT_LT(dropped, 9);
  EXPECT_TRUE(cache.best("k0", modelled_));
  EXPECT_FALSE(cache.key("k1"));
  EXPECT_TRUE(cache.known_keys({"", "k1", ""}).empty());
  EXPECT_FALSE(cache.best("k1", modelled_));
  EXPECT_TRUE(cache.best("k9", modelled_));
  SQLite::Database database(path_.string());
  for (const char* table : {"variants", "evidence", "trials", "kernels"})
    EXPECT_EQ(database.execAndGet(std::string("SELECT count(*) FROM ") + table).getInt(),
              10 - dropped)
        << table;
}

TEST_F(EvictionTest, TheNewestKeyStaysHoweverSmallTheLimit) {
  fill(4);
  auto cache = Cache::to_write(path_);
  EXPECT_EQ(cache.evict_to(1), 3);
  EXPECT_TRUE(cache.best("k3", modelled_));
}

TEST_F(EvictionTest, OpeningToWriteKeepsTheLimitOfTheEnvironment) {
  fill(40);
  setenv("GEAK_CACHE_SIZE", "1", 1);
  {
    const auto cache = Cache::to_write(path_);
  }
  EXPECT_LE(std::filesystem::file_size(path_), (1u << 20) + (64u << 10));
  setenv("GEAK_CACHE_SIZE", "plenty", 1);
  EXPECT_THROW(Cache::to_write(path_), CacheError);
  unsetenv("GEAK_CACHE_SIZE");
}

}  // namespace
}  // namespace geak::cache
