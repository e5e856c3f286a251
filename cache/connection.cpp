#include "cache/connection.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <ctime>
#include <stdexcept>
#include <thread>

#include "cache/error.h"
#include "cache/location.h"
#include "cache/schema.h"

namespace geak::cache {
namespace {

namespace fs = std::filesystem;

// Writers hold the lock for one small transaction at a time, so this is only reached when a
// process is stopped while it holds it.
constexpr int kBusyTimeoutMs = 30'000;
constexpr int kReaderBusyTimeoutMs = 5'000;

struct Damaged : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Asked for the effective user, as open() does; a read-only file system answers no as well.
bool may(const fs::path& path, int mode) {
  return faccessat(AT_FDCWD, path.c_str(), mode, AT_EACCESS) == 0;
}

std::string uri_of(const fs::path& path, const char* query) {
  std::string uri = "file:";
  for (const char c : fs::absolute(path).string()) {
    if (c == '%')
      uri += "%25";
    else if (c == '?')
      uri += "%3f";
    else if (c == '#')
      uri += "%23";
    else
      uri += c;
  }
  return uri + query;
}

// A reader of a write-ahead log needs to make or map the -shm file. Where the folder is read-only
// and no log is left, nobody can be writing, and SQLite may be told so.
std::unique_ptr<SQLite::Database> connect_to_read(const fs::path& path) {
  fs::path log = path;
  log += "-wal";
  std::error_code error;
  const bool folder_writable = may(path.parent_path(), W_OK);
  if (!folder_writable && !fs::exists(log, error))
    return std::make_unique<SQLite::Database>(uri_of(path, "?immutable=1"),
                                              SQLite::OPEN_READONLY | SQLite::OPEN_URI);
  return std::make_unique<SQLite::Database>(path.string(), SQLite::OPEN_READONLY,
                                            kReaderBusyTimeoutMs);
}

void check_owner(SQLite::Database& database) {
  const int owner = database.execAndGet("PRAGMA application_id").getInt();
  if (owner != kApplicationId) throw CacheError("it is a database of another program");
}

// SQLite does not call the busy handler while it changes the mode, so writers that open a new file
// together have to wait for one another here.
void set_journal_mode(SQLite::Database& database, const char* pragma) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (true) {
    try {
      SQLite::Statement(database, pragma).executeStep();
      return;
    } catch (const SQLite::Exception& error) {
      if (error.getErrorCode() != SQLITE_BUSY || std::chrono::steady_clock::now() > deadline) throw;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
}

std::unique_ptr<SQLite::Database> connect_to_write(const fs::path& path) {
  auto database = std::make_unique<SQLite::Database>(
      path.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, kBusyTimeoutMs);
  if (schema_version(*database) != 0 ||
      database->execAndGet("SELECT count(*) FROM sqlite_master").getInt() != 0) {
    check_owner(*database);
    SQLite::Statement check(*database, "PRAGMA quick_check(1)");
    check.executeStep();
    if (const std::string said = check.getColumn(0); said != "ok") throw Damaged(said);
  } else {
    database->exec("PRAGMA auto_vacuum = INCREMENTAL");
  }
  // The log's shared memory works within one host only.
  const bool network = on_network_file_system(path);
  set_journal_mode(*database,
                   network ? "PRAGMA journal_mode = DELETE" : "PRAGMA journal_mode = WAL");
  database->exec(network ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL");
  database->exec("PRAGMA foreign_keys = ON");
  migrate(*database);
  return database;
}

// Two writers that find the same damage must not move the new file aside as well.
class MovingLock {
 public:
  explicit MovingLock(const fs::path& path)
      : fd_(open((path.string() + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
    if (fd_ >= 0) flock(fd_, LOCK_EX);
  }
  ~MovingLock() {
    if (fd_ >= 0) close(fd_);
  }
  MovingLock(const MovingLock&) = delete;
  MovingLock& operator=(const MovingLock&) = delete;

 private:
  int fd_;
};

fs::path move_aside(const fs::path& path) {
  char stamp[32];
  const std::time_t now = std::time(nullptr);
  std::tm calendar{};
  gmtime_r(&now, &calendar);
  std::strftime(stamp, sizeof stamp, ".corrupt-%Y%m%dT%H%M%SZ", &calendar);
  fs::path aside = path;
  aside += stamp;
  for (int n = 2; fs::exists(aside); ++n) aside = path.string() + stamp + "-" + std::to_string(n);
  fs::rename(path, aside);
  for (const char* suffix : {"-wal", "-shm", "-journal"}) {
    std::error_code gone;
    fs::rename(path.string() + suffix, aside.string() + suffix, gone);
  }
  return aside;
}

// Empty when the file is sound (or could be made), else what is damaged.
std::string try_to_write(const fs::path& path, std::unique_ptr<SQLite::Database>& database) {
  try {
    database = connect_to_write(path);
    return {};
  } catch (const Damaged& error) {
    return error.what();
  } catch (const CacheError& error) {
    throw CacheError("cannot use the cache " + path.string() + ": " + error.what() +
                     "; set GEAK_CACHE_DIR to another folder");
  } catch (const SQLite::Exception& error) {
    if (means_corrupt(error)) return error.what();
    throw CacheError("cannot write the cache " + path.string() + ": " + error.what() +
                     "; make its folder writable or set GEAK_CACHE_DIR");
  }
}

}  // namespace

bool means_corrupt(const SQLite::Exception& error) {
  return error.getErrorCode() == SQLITE_CORRUPT || error.getErrorCode() == SQLITE_NOTADB;
}

Opened open_to_read(const fs::path& path) {
  Opened opened;
  std::error_code error;
  if (!fs::exists(path, error)) {
    if (error) opened.problem = "cannot read the cache " + path.string() + ": " + error.message();
    return opened;
  }
  try {
    auto database = connect_to_read(path);
    const int version = schema_version(*database);
    if (version == 0) return opened;  // a writer has just made the file
    check_owner(*database);
    if (version != migrations().back().version)
      throw CacheError("it has schema version " + std::to_string(version) + ", this geak reads " +
                       std::to_string(migrations().back().version) +
                       ("; geak optimize brings an older one up to date"));
    opened.database = std::move(database);
  } catch (const SQLite::Exception& failure) {
    opened.problem = "cannot read the cache " + path.string() + ": " + failure.what() +
                     (means_corrupt(failure) ? "; geak optimize will start a new one" : "");
  } catch (const CacheError& failure) {
    opened.problem = "cannot use the cache " + path.string() + ": " + failure.what();
  }
  return opened;
}

Opened open_to_write(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (error)
    throw CacheError("cannot create the cache's folder " + path.parent_path().string() + ": " +
                     error.message() + "; set GEAK_CACHE_DIR to a folder that can be written");
  if (!may(path.parent_path(), W_OK) || (may(path, F_OK) && !may(path, W_OK)))
    throw CacheError("the cache " + path.string() +
                     " is read-only; make it writable or set GEAK_CACHE_DIR to another folder");
  Opened opened;
  if (try_to_write(path, opened.database).empty()) return opened;
  const MovingLock lock(path);
  const std::string damage = try_to_write(path, opened.database);
  if (damage.empty()) return opened;
  const fs::path aside = move_aside(path);
  opened.notice = "the cache " + path.string() + " was damaged (" + damage + "): moved to " +
                  aside.string() + ", a new one is started";
  if (const std::string again = try_to_write(path, opened.database); !again.empty())
    throw CacheError("cannot make a new cache " + path.string() + ": " + again);
  return opened;
}

}  // namespace geak::cache
