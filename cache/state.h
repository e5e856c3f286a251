// Inside of Cache, shared by its reading and writing halves.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <string>

#include "cache/cache.h"
#include "cache/connection.h"

namespace geak::cache {

struct Cache::State {
  std::filesystem::path path;
  Opened opened;
  bool writable = false;

  // Runs `query(database)`; what it returns is dropped for `nothing` when there is no database or
  // its content is damaged. Damage is kept as the problem, so that a report can tell.
  template <class Result, class Query>
  Result read(Result nothing, Query query) {
    if (!opened.database) return nothing;
    try {
      return query(*opened.database);
    } catch (const SQLite::Exception& error) {
      const std::string text = "cannot read the cache " + path.string() + ": " + error.what();
      if (writable) throw CacheError(text);
      opened.problem = text;
      return nothing;
    }
  }

  template <class Change>
  void write(Change change) {
    if (!writable)
      throw CacheError("the cache " + path.string() + " was opened to read, not to write");
    try {
      SQLite::Transaction transaction(*opened.database, SQLite::TransactionBehavior::IMMEDIATE);
      change(*opened.database);
      transaction.commit();
    } catch (const SQLite::Exception& error) {
      throw CacheError("cannot write the cache " + path.string() + ": " + error.what());
    }
  }
};

// Row id of a key; 0 when it isn't there.
std::int64_t key_row(SQLite::Database& database, const std::string& digest);

}  // namespace geak::cache
