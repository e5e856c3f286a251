// The database's tables and how an older database becomes a newer one. cache/schema.md describes
// each table and the history.
#pragma once

#include <string>
#include <vector>

namespace SQLite {
class Database;
}

namespace geak::cache {

struct Migration {
  int version;       // 1, 2, ...: without gaps
  const char* name;  // for people, kept in schema_migrations
  const char* sql;   // statements that lead from version - 1 to version
};

// In order; the last one's version is what this program reads and writes. A landed migration is
// never edited: a change is a new one.
const std::vector<Migration>& migrations();

// "geak" as SQLite's application_id, so that a file of another program is not taken for a cache.
inline constexpr int kApplicationId = 0x6765616B;

// 0 for a new, empty database.
int schema_version(SQLite::Database& database);

// Brings the database to the newest version, each step in its own IMMEDIATE transaction, so that
// two programs that start at once do it once. Throws CacheError when it is newer than this program.
void migrate(SQLite::Database& database);

}  // namespace geak::cache
