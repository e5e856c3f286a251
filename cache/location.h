// Where the cache lies, and what kind of file system holds it.
#pragma once

#include <filesystem>

namespace geak::cache {

// $GEAK_CACHE_DIR/geak.db, else $XDG_CACHE_HOME/geak/geak.db, else ~/.cache/geak/geak.db.
// Throws CacheError when none of these variables is set. Creates nothing.
std::filesystem::path default_path();

// True for NFS, SMB, FUSE and other file systems whose shared memory or locks another host doesn't
// see, where SQLite's write-ahead log is not safe. `path` or its nearest existing parent is asked.
bool on_network_file_system(const std::filesystem::path& path);

}  // namespace geak::cache
