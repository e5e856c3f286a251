#include "cache/schema.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include "cache/error.h"

namespace geak::cache {
namespace {

constexpr const char* kVersion1 = R"sql(
CREATE TABLE kernels (
  id        INTEGER PRIMARY KEY,
  source    TEXT NOT NULL,
  qualified TEXT NOT NULL,
  symbol    TEXT NOT NULL,
  UNIQUE (source, qualified, symbol)
);
CREATE TABLE keys (
  id        INTEGER PRIMARY KEY,
  digest    TEXT NOT NULL UNIQUE,
  last_seen INTEGER NOT NULL
);
CREATE INDEX keys_by_last_seen ON keys (last_seen);
CREATE TABLE key_parts (
  key_id    INTEGER NOT NULL REFERENCES keys (id) ON DELETE CASCADE,
  position  INTEGER NOT NULL,
  name      TEXT NOT NULL,
  digest    TEXT NOT NULL,
  detail    TEXT NOT NULL,
  PRIMARY KEY (key_id, position)
) WITHOUT ROWID;
CREATE TABLE kernel_keys (
  kernel_id INTEGER NOT NULL REFERENCES kernels (id) ON DELETE CASCADE,
  key_id    INTEGER NOT NULL REFERENCES keys (id) ON DELETE CASCADE,
  last_seen INTEGER NOT NULL,
  PRIMARY KEY (kernel_id, key_id)
) WITHOUT ROWID;
CREATE INDEX kernel_keys_by_key ON kernel_keys (key_id);
CREATE TABLE variants (
  id        INTEGER PRIMARY KEY,
  key_id    INTEGER NOT NULL REFERENCES keys (id) ON DELETE CASCADE,
  digest    TEXT NOT NULL,
  name      TEXT NOT NULL,
  text      TEXT NOT NULL,
  launch    TEXT NOT NULL,
  guard     TEXT NOT NULL,
  recipe    TEXT NOT NULL,
  generator TEXT NOT NULL,
  parent    TEXT NOT NULL,
  created   INTEGER NOT NULL,
  UNIQUE (key_id, digest)
);
CREATE TABLE evidence (
  variant_id   INTEGER NOT NULL REFERENCES variants (id) ON DELETE CASCADE,
  type         TEXT NOT NULL,
  verification TEXT NOT NULL,
  original_ns  REAL NOT NULL,
  variant_ns   REAL NOT NULL,
  gain         REAL NOT NULL,
  noise        REAL NOT NULL,
  inputs_tried INTEGER NOT NULL,
  limiter      TEXT NOT NULL,
  counters     TEXT NOT NULL,
  code_hash    TEXT NOT NULL,
  created      INTEGER NOT NULL,
  PRIMARY KEY (variant_id, type)
) WITHOUT ROWID;
CREATE TABLE trials (
  key_id         INTEGER NOT NULL REFERENCES keys (id) ON DELETE CASCADE,
  type           TEXT NOT NULL,
  variant_digest TEXT NOT NULL,
  recipe         TEXT NOT NULL,
  outcome        TEXT NOT NULL,
  reason         TEXT NOT NULL,
  gain           REAL NOT NULL,
  time           INTEGER NOT NULL,
  PRIMARY KEY (key_id, type, variant_digest)
) WITHOUT ROWID;
CREATE TABLE searches (
  key_id  INTEGER NOT NULL REFERENCES keys (id) ON DELETE CASCADE,
  type    TEXT NOT NULL,
  state   TEXT NOT NULL,
  outcome TEXT NOT NULL,
  trials  INTEGER NOT NULL,
  seconds REAL NOT NULL,
  seed    INTEGER NOT NULL,
  updated INTEGER NOT NULL,
  PRIMARY KEY (key_id, type)
) WITHOUT ROWID;
)sql";

}  // namespace

const std::vector<Migration>& migrations() {
  static const std::vector<Migration> all = {{1, "first tables", kVersion1}};
  return all;
}

int schema_version(SQLite::Database& database) {
  return database.execAndGet("PRAGMA user_version").getInt();
}

void migrate(SQLite::Database& database) {
  const int newest = migrations().back().version;
  if (schema_version(database) > newest)
    throw CacheError("it has schema version " + std::to_string(schema_version(database)) +
                     " of a newer geak, this one knows " + std::to_string(newest));
  for (const auto& step : migrations()) {
    if (schema_version(database) >= step.version) continue;
    SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
    if (schema_version(database) >= step.version) continue;  // another program was faster
    database.exec(
        "CREATE TABLE IF NOT EXISTS schema_migrations (version INTEGER PRIMARY KEY, "
        "name TEXT NOT NULL, applied INTEGER NOT NULL)");
    database.exec(step.sql);
    SQLite::Statement note(database,
                           "INSERT INTO schema_migrations VALUES (?, ?, strftime('%s', 'now'))");
    note.bind(1, step.version);
    note.bind(2, step.name);
    note.exec();
    database.exec("PRAGMA application_id = " + std::to_string(kApplicationId));
    database.exec("PRAGMA user_version = " + std::to_string(step.version));
    transaction.commit();
  }
}

}  // namespace geak::cache
