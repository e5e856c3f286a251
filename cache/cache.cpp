#include "cache/cache.h"

#include <charconv>
#include <cstdlib>
#include <cstring>

#include "cache/state.h"

namespace geak::cache {
namespace {

std::uint64_t size_limit() {
  const char* text = std::getenv("GEAK_CACHE_SIZE");
  if (!text || !*text) return Cache::kDefaultSizeLimit;
  std::uint64_t mebibytes = 0;
  const char* end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, mebibytes);
  if (error != std::errc() || stop != end || mebibytes == 0 || mebibytes > (1ull << 30))
    throw CacheError(std::string("GEAK_CACHE_SIZE is '") + text +
                     "': give a whole number of MiB, 1 or more");
  return mebibytes << 20;
}

constexpr const char* kVerifiedColumns =
    "SELECT v.name, v.digest, v.text, v.launch, v.guard, v.recipe, v.generator, v.parent, "
    "v.created, e.type, e.verification, e.original_ns, e.variant_ns, e.gain, e.noise, "
    "e.inputs_tried, e.limiter, e.counters, e.code_hash "
    "FROM keys k JOIN variants v ON v.key_id = k.id JOIN evidence e ON e.variant_id = v.id "
    "WHERE k.digest = ? ";

VerifiedVariant verified_from(SQLite::Statement& row) {
  VerifiedVariant out;
  int column = 0;
  const auto text = [&] { return row.getColumn(column++).getString(); };
  const auto number = [&] { return row.getColumn(column++).getDouble(); };
  Variant& variant = out.variant;
  for (std::string* field : {&variant.name, &variant.digest, &variant.text, &variant.launch,
                             &variant.guard, &variant.recipe, &variant.generator, &variant.parent})
    *field = text();
  out.created = row.getColumn(column++).getInt64();
  Evidence& evidence = out.evidence;
  evidence.type = EvidenceType::parse(text());
  evidence.verification = Verification::parse(text());
  for (double* field :
       {&evidence.original_ns, &evidence.variant_ns, &evidence.gain, &evidence.noise})
    *field = number();
  evidence.inputs_tried = row.getColumn(column++).getInt();
  for (std::string* field : {&evidence.limiter, &evidence.counters, &evidence.code_hash})
    *field = text();
  return out;
}

std::vector<KeyPart> parts_of(SQLite::Database& database, std::int64_t key_id) {
  SQLite::Statement query(database,
                          "SELECT name, digest, detail FROM key_parts WHERE key_id = ? "
                          "ORDER BY position");
  query.bind(1, key_id);
  std::vector<KeyPart> parts;
  while (query.executeStep())
    parts.push_back({query.getColumn(0), query.getColumn(1), query.getColumn(2)});
  return parts;
}

Search::State state_from(const std::string& text) {
  if (text == "finished") return Search::State::finished;
  if (text == "out of time") return Search::State::out_of_time;
  return text == "running" ? Search::State::running : Search::State::interrupted;
}

}  // namespace

std::int64_t key_row(SQLite::Database& database, const std::string& digest) {
  SQLite::Statement query(database, "SELECT id FROM keys WHERE digest = ?");
  query.bind(1, digest);
  return query.executeStep() ? query.getColumn(0).getInt64() : 0;
}

Cache::Cache(std::unique_ptr<State> state) : state_(std::move(state)) {}
Cache::Cache(Cache&&) noexcept = default;
Cache& Cache::operator=(Cache&&) noexcept = default;
Cache::~Cache() = default;

Cache Cache::to_read(const std::filesystem::path& path) {
  auto state = std::make_unique<State>();
  state->path = path;
  state->opened = open_to_read(path);
  return Cache(std::move(state));
}

Cache Cache::to_write(const std::filesystem::path& path) {
  const std::uint64_t limit = size_limit();
  auto state = std::make_unique<State>();
  state->path = path;
  state->opened = open_to_write(path);
  state->writable = true;
  Cache cache(std::move(state));
  cache.evict_to(limit);
  return cache;
}

const std::filesystem::path& Cache::path() const { return state_->path; }
const std::string& Cache::problem() const { return state_->opened.problem; }
const std::string& Cache::notice() const { return state_->opened.notice; }

std::optional<VerifiedVariant> Cache::best(const std::string& key_digest,
                                           const EvidenceType& type) const {
  return state_->read(std::optional<VerifiedVariant>(), [&](SQLite::Database& database) {
    SQLite::Statement query(database, std::string(kVerifiedColumns) +
                                          "AND e.type = ? AND e.gain > 1 "
                                          "ORDER BY e.gain DESC, v.digest LIMIT 1");
    query.bind(1, key_digest);
    query.bind(2, type.text());
    return query.executeStep() ? std::optional(verified_from(query)) : std::nullopt;
  });
}

std::vector<VerifiedVariant> Cache::verified(const std::string& key_digest) const {
  return state_->read(std::vector<VerifiedVariant>(), [&](SQLite::Database& database) {
    SQLite::Statement query(database,
                            std::string(kVerifiedColumns) + "ORDER BY e.gain DESC, v.digest");
    query.bind(1, key_digest);
    std::vector<VerifiedVariant> all;
    while (query.executeStep()) all.push_back(verified_from(query));
    return all;
  });
}

std::vector<VerifiedVariant> Cache::verified_of_name(const std::string& variant_name) const {
  return state_->read(std::vector<VerifiedVariant>(), [&](SQLite::Database& database) {
    std::string text = kVerifiedColumns;
    text.replace(text.rfind("k.digest = ?"), 12, "v.name = ?");
    SQLite::Statement query(database, text + "ORDER BY e.created DESC");
    query.bind(1, variant_name);
    std::vector<VerifiedVariant> all;
    while (query.executeStep()) all.push_back(verified_from(query));
    return all;
  });
}

std::optional<Search> Cache::search(const std::string& key_digest, const EvidenceType& type) const {
  return state_->read(std::optional<Search>(), [&](SQLite::Database& database) {
    SQLite::Statement query(database,
                            "SELECT s.state, s.outcome, s.trials, s.seconds, s.seed, s.updated "
                            "FROM searches s JOIN keys k ON k.id = s.key_id "
                            "WHERE k.digest = ? AND s.type = ?");
    query.bind(1, key_digest);
    query.bind(2, type.text());
    if (!query.executeStep()) return std::optional<Search>();
    Search search;
    search.state = state_from(query.getColumn(0));
    search.outcome = query.getColumn(1).getString();
    search.trials = query.getColumn(2);
    search.seconds = query.getColumn(3);
    search.seed = static_cast<std::uint64_t>(query.getColumn(4).getInt64());
    search.updated = query.getColumn(5).getInt64();
    return std::optional(search);
  });
}

std::vector<Trial> Cache::trials(const std::string& key_digest, const EvidenceType& type) const {
  return state_->read(std::vector<Trial>(), [&](SQLite::Database& database) {
    SQLite::Statement query(database,
                            "SELECT t.variant_digest, t.recipe, t.outcome, t.reason, t.gain, "
                            "t.time FROM trials t JOIN keys k ON k.id = t.key_id "
                            "WHERE k.digest = ? AND t.type = ? ORDER BY t.time, t.variant_digest");
    query.bind(1, key_digest);
    query.bind(2, type.text());
    std::vector<Trial> all;
    while (query.executeStep())
      all.push_back({query.getColumn(0), query.getColumn(1), query.getColumn(2), query.getColumn(3),
                     query.getColumn(4), query.getColumn(5).getInt64()});
    return all;
  });
}

std::optional<Key> Cache::key(const std::string& digest) const {
  return state_->read(std::optional<Key>(), [&](SQLite::Database& database) {
    const std::int64_t id = key_row(database, digest);
    return id ? std::optional(Key{digest, parts_of(database, id)}) : std::nullopt;
  });
}

std::vector<KnownKey> Cache::known_keys(const KernelName& kernel) const {
  return state_->read(std::vector<KnownKey>(), [&](SQLite::Database& database) {
    SQLite::Statement query(
        database,
        "SELECT n.source, n.qualified, n.symbol, k.digest, k.id, s.last_seen "
        "FROM kernels n JOIN kernel_keys s ON s.kernel_id = n.id JOIN keys k ON k.id = s.key_id "
        "WHERE n.qualified = ?1 AND (?2 = '' OR n.source = ?2) AND (?3 = '' OR n.symbol = ?3) "
        "ORDER BY s.last_seen DESC, k.id DESC");
    query.bind(1, kernel.qualified);
    query.bind(2, kernel.source);
    query.bind(3, kernel.symbol);
    std::vector<KnownKey> all;
    while (query.executeStep())
      all.push_back({{query.getColumn(0), query.getColumn(1), query.getColumn(2)},
                     {query.getColumn(3), parts_of(database, query.getColumn(4).getInt64())},
                     query.getColumn(5).getInt64()});
    return all;
  });
}

}  // namespace geak::cache
