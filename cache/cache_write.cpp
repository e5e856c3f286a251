#include <ctime>

#include "cache/cache.h"
#include "cache/state.h"

namespace geak::cache {
namespace {

std::int64_t now() { return static_cast<std::int64_t>(std::time(nullptr)); }

const char* name_of(Search::State state) {
  switch (state) {
    case Search::State::running:
      return "running";
    case Search::State::interrupted:
      return "interrupted";
    case Search::State::out_of_time:
      return "out of time";
    case Search::State::finished:
      return "finished";
  }
  return "interrupted";
}

// A write about a key that was evicted meanwhile, or never remembered.
std::int64_t existing_key(SQLite::Database& database, const std::string& digest) {
  const std::int64_t id = key_row(database, digest);
  if (!id)
    throw CacheError("the cache does not hold the key " + digest +
                     " any more; run geak optimize again");
  return id;
}

template <class... Values>
int run(SQLite::Database& database, const char* sql, const Values&... values) {
  SQLite::Statement statement(database, sql);
  int index = 0;
  (statement.bind(++index, values), ...);
  return statement.exec();
}

std::int64_t id_after(SQLite::Database& database, const char* sql,
                      std::initializer_list<const std::string*> values) {
  SQLite::Statement query(database, sql);
  int index = 0;
  for (const std::string* value : values) query.bind(++index, *value);
  return query.executeStep() ? query.getColumn(0).getInt64() : 0;
}

void put_trial(SQLite::Database& database, std::int64_t key, const EvidenceType& type,
               const Trial& trial) {
  run(database, "INSERT OR REPLACE INTO trials VALUES (?, ?, ?, ?, ?, ?, ?, ?)", key, type.text(),
      trial.variant_digest, trial.recipe, trial.outcome, trial.reason, trial.gain, now());
}

std::uint64_t used_bytes(SQLite::Database& database) {
  const auto number = [&](const char* pragma) {
    return static_cast<std::uint64_t>(database.execAndGet(pragma).getInt64());
  };
  return (number("PRAGMA page_count") - number("PRAGMA freelist_count")) *
         number("PRAGMA page_size");
}

}  // namespace

void Cache::remember(const KernelName& kernel, const Key& key) {
  state_->write([&](SQLite::Database& database) {
    const std::int64_t time = now();
    run(database,
        "INSERT INTO kernels (source, qualified, symbol) VALUES (?, ?, ?) "
        "ON CONFLICT DO NOTHING",
        kernel.source, kernel.qualified, kernel.symbol);
    run(database,
        "INSERT INTO keys (digest, last_seen) VALUES (?, ?) "
        "ON CONFLICT (digest) DO UPDATE SET last_seen = excluded.last_seen",
        key.digest, time);
    const std::int64_t key_id = key_row(database, key.digest);
    const std::int64_t kernel_id = id_after(
        database, "SELECT id FROM kernels WHERE source = ? AND qualified = ? AND symbol = ?",
        {&kernel.source, &kernel.qualified, &kernel.symbol});
    run(database,
        "INSERT INTO kernel_keys VALUES (?, ?, ?) "
        "ON CONFLICT DO UPDATE SET last_seen = excluded.last_seen",
        kernel_id, key_id, time);
    run(database, "DELETE FROM key_parts WHERE key_id = ?", key_id);
    int position = 0;
    for (const KeyPart& part : key.parts)
      run(database, "INSERT INTO key_parts VALUES (?, ?, ?, ?, ?)", key_id, position++, part.name,
          part.digest, part.detail);
  });
}

void Cache::add_verified(const std::string& key_digest, const Variant& variant,
                         const Evidence& evidence) {
  state_->write([&](SQLite::Database& database) {
    const std::int64_t key = existing_key(database, key_digest);
    run(database,
        "INSERT INTO variants (key_id, digest, name, text, launch, guard, recipe, generator, "
        "parent, created) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        key, variant.digest, variant.name, variant.text, variant.launch, variant.guard,
        variant.recipe, variant.generator, variant.parent, now());
    SQLite::Statement query(database, "SELECT id FROM variants WHERE key_id = ? AND digest = ?");
    query.bind(1, key);
    query.bind(2, variant.digest);
    query.executeStep();
    const std::int64_t variant_id = query.getColumn(0).getInt64();
    run(database, "INSERT OR REPLACE INTO evidence VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        variant_id, evidence.type.text(), evidence.verification.text(), evidence.original_ns,
        evidence.variant_ns, evidence.gain, evidence.noise, evidence.inputs_tried, evidence.limiter,
        evidence.counters, evidence.code_hash, now());
    put_trial(database, key, evidence.type,
              {variant.digest, variant.recipe, "accepted", "", evidence.gain, 0});
  });
}

void Cache::add_trial(const std::string& key_digest, const EvidenceType& type, const Trial& trial) {
  state_->write([&](SQLite::Database& database) {
    put_trial(database, existing_key(database, key_digest), type, trial);
  });
}

void Cache::set_search(const std::string& key_digest, const EvidenceType& type,
                       const Search& search) {
  state_->write([&](SQLite::Database& database) {
    run(database, "INSERT OR REPLACE INTO searches VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        existing_key(database, key_digest), type.text(), name_of(search.state), search.outcome,
        search.trials, search.seconds, static_cast<std::int64_t>(search.seed), now());
  });
}

void Cache::withdraw(const std::string& key_digest, const std::string& variant_digest,
                     const std::string& reason) {
  state_->write([&](SQLite::Database& database) {
    const std::int64_t key = existing_key(database, key_digest);
    run(database,
        "UPDATE trials SET outcome = 'withdrawn', reason = ?, time = ? "
        "WHERE key_id = ? AND variant_digest = ?",
        reason, now(), key, variant_digest);
    run(database, "DELETE FROM variants WHERE key_id = ? AND digest = ?", key, variant_digest);
  });
}

int Cache::evict_to(std::uint64_t bytes) {
  int dropped = 0;
  bool more = true;
  while (more) {
    more = false;
    state_->write([&](SQLite::Database& database) {
      if (used_bytes(database) <= bytes ||
          database.execAndGet("SELECT count(*) FROM keys").getInt() <= 1)
        return;
      more = run(database,
                 "DELETE FROM keys WHERE id = (SELECT id FROM keys "
                 "ORDER BY last_seen, id LIMIT 1)") > 0;
      dropped += more;
    });
  }
  if (dropped > 0) {
    state_->write([](SQLite::Database& database) {
      run(database, "DELETE FROM kernels WHERE id NOT IN (SELECT kernel_id FROM kernel_keys)");
    });
    // Gives the freed pages back to the file system; it may not run inside a transaction's rows.
    SQLite::Statement vacuum(*state_->opened.database, "PRAGMA incremental_vacuum");
    while (vacuum.executeStep()) {
    }
  }
  return dropped;
}

}  // namespace geak::cache
