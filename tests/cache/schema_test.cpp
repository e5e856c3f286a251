#include "cache/schema.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include "tests/cache/fixture.h"

namespace geak::cache {
namespace {

TEST_F(CacheTest, MigrationsAreNumberedWithoutGaps) {
  int expected = 1;
  for (const auto& step : migrations()) EXPECT_EQ(step.version, expected++);
}

TEST_F(CacheTest, MigratingNotesEachStepOnce) {
  Cache::to_write(path_);
  Cache::to_write(path_);
  SQLite::Database database(path_.string());
  EXPECT_EQ(schema_version(database), migrations().back().version);
  EXPECT_EQ(database.execAndGet("SELECT count(*) FROM schema_migrations").getInt(),
            static_cast<int>(migrations().size()));
  EXPECT_EQ(database.execAndGet("PRAGMA journal_mode").getString(),
            on_network_file_system(path_) ? "delete" : "wal");
}

TEST_F(CacheTest, NewerSchemaIsLeftAlone) {
  Cache::to_write(path_).remember(blur_, key("k"));
  {
    SQLite::Database database(path_.string(), SQLite::OPEN_READWRITE);
    database.exec("PRAGMA user_version = 999");
  }
  const auto reader = Cache::to_read(path_);
  EXPECT_NE(reader.problem().find("999"), std::string::npos) << reader.problem();
  EXPECT_FALSE(reader.key("k"));
  EXPECT_THROW(Cache::to_write(path_), CacheError);
  SQLite::Database database(path_.string());
  EXPECT_EQ(schema_version(database), 999);
}

TEST_F(CacheTest, OlderSchemaIsMigratedByWritersAndReportedByReaders) {
  Cache::to_write(path_);
  {
    SQLite::Database database(path_.string(), SQLite::OPEN_READWRITE);
    database.exec(
        "DROP TABLE key_parts; DROP TABLE kernel_keys; DROP TABLE evidence;"
        "DROP TABLE variants; DROP TABLE trials; DROP TABLE searches;"
        "DROP TABLE keys; DROP TABLE kernels; DROP TABLE schema_migrations;"
        "PRAGMA user_version = 0");
  }
  EXPECT_FALSE(Cache::to_read(path_).key("k"));
  Cache::to_write(path_).remember(blur_, key("k"));
  EXPECT_TRUE(Cache::to_read(path_).key("k"));
}

}  // namespace
}  // namespace geak::cache
