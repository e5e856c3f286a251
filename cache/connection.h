// Opening the database file: journal mode, read-only folders, damaged files.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

namespace SQLite {
class Database;
class Exception;
}  // namespace SQLite

namespace geak::cache {

// Exactly one of the two is set: a reader without a database reads an empty cache.
struct Opened {
  std::unique_ptr<SQLite::Database> database;
  std::string problem;  // reader: why the cache counts as empty; "" when the file isn't there
  std::string notice;   // writer: what was mended
};

// Creates nothing, changes nothing and never throws for what is wrong with the file.
Opened open_to_read(const std::filesystem::path& path);

// Creates folder, file and tables as needed. A damaged file is moved aside to
// `<path>.corrupt-<time>` and a new one made. Throws CacheError when the folder can't be written,
// or the file belongs to another program or to a newer geak.
Opened open_to_write(const std::filesystem::path& path);

// True for errors that say that the file's content is damaged.
bool means_corrupt(const SQLite::Exception& error);

}  // namespace geak::cache
