#include "cache/location.h"

#include <linux/magic.h>
#include <sys/vfs.h>

#include <array>
#include <cstdlib>

#include "cache/error.h"

namespace geak::cache {
namespace {

constexpr const char* kFileName = "geak.db";

// Those that <linux/magic.h> of Debian 12 does not name, from statfs(2).
constexpr unsigned kNfs = 0x6969, kSmb = 0x517B, kLustre = 0x0BD00BD0, kGpfs = 0x47504653,
                   kBeegfs = 0x19830326, kPanfs = 0xAAD7AAEA;
constexpr std::array<unsigned, 14> kNetwork = {kNfs,
                                               kSmb,
                                               SMB2_SUPER_MAGIC,
                                               CIFS_SUPER_MAGIC,
                                               AFS_SUPER_MAGIC,
                                               CODA_SUPER_MAGIC,
                                               CEPH_SUPER_MAGIC,
                                               OCFS2_SUPER_MAGIC,
                                               V9FS_MAGIC,
                                               FUSE_SUPER_MAGIC,
                                               kLustre,
                                               kGpfs,
                                               kBeegfs,
                                               kPanfs};

const char* variable(const char* name) {
  const char* value = std::getenv(name);
  return value && *value ? value : nullptr;
}

}  // namespace

std::filesystem::path default_path() {
  if (const char* folder = variable("GEAK_CACHE_DIR"))
    return std::filesystem::absolute(folder) / kFileName;
  if (const char* folder = variable("XDG_CACHE_HOME"))
    return std::filesystem::path(folder) / "geak" / kFileName;
  if (const char* home = variable("HOME"))
    return std::filesystem::path(home) / ".cache" / "geak" / kFileName;
  throw CacheError(
      "no place for the cache: set GEAK_CACHE_DIR (neither it nor XDG_CACHE_HOME nor "
      "HOME is set)");
}

bool on_network_file_system(const std::filesystem::path& path) {
  auto folder = std::filesystem::absolute(path);
  std::error_code error;
  while (!std::filesystem::exists(folder, error) && folder.has_relative_path())
    folder = folder.parent_path();
  struct statfs info{};
  if (statfs(folder.c_str(), &info) != 0) return true;  // the rollback journal is always safe
  const auto type = static_cast<unsigned>(info.f_type);
  for (const unsigned network : kNetwork)
    if (type == network) return true;
  return false;
}

}  // namespace geak::cache
