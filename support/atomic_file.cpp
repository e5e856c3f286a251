#include "support/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>

namespace geak::support {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void fail(const fs::path& path, const char* what) {
  throw std::runtime_error(path.string() + ": cannot " + what + ": " +
                           std::generic_category().message(errno));
}

// Removes its file unless it was renamed away.
struct TemporaryFile {
  std::string name;
  int descriptor = -1;
  ~TemporaryFile() {
    if (descriptor >= 0) ::close(descriptor);
    if (!name.empty()) ::unlink(name.c_str());
  }
};

void write_all(const TemporaryFile& file, std::string_view content, const fs::path& path) {
  while (!content.empty()) {
    const ssize_t written = ::write(file.descriptor, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(path, "write");
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  if (::fsync(file.descriptor) != 0) fail(path, "flush");
}

// What a newly created file would be given: mkostemp's 0600 would hide it from other users.
mode_t default_mode() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return static_cast<mode_t>(0666 & ~mask);
}

}  // namespace

void write_atomically(const fs::path& path, std::string_view content) {
  std::error_code error;
  if (!path.parent_path().empty()) fs::create_directories(path.parent_path(), error);
  if (error)
    throw std::runtime_error(path.parent_path().string() +
                             ": cannot make the folder: " + error.message());
  TemporaryFile file{path.string() + ".XXXXXX"};
  file.descriptor = ::mkostemp(file.name.data(), O_CLOEXEC);
  if (file.descriptor < 0) {
    file.name.clear();
    fail(path, "write");
  }
  write_all(file, content, path);
  if (::fchmod(file.descriptor, default_mode()) != 0) fail(path, "set the mode of");
  if (::rename(file.name.c_str(), path.c_str()) != 0) fail(path, "replace");
  file.name.clear();
}

bool write_if_changed(const fs::path& path, std::string_view content) {
  if (const auto present = read_file(path); present && *present == content) return false;
  write_atomically(path, content);
  return true;
}

std::optional<std::string> read_file(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) {
    if (!fs::exists(path)) return std::nullopt;
    fail(path, "read");
  }
  std::string content(std::istreambuf_iterator<char>(stream), {});
  if (stream.bad()) fail(path, "read");
  return content;
}

std::vector<std::byte> read_bytes(const std::filesystem::path& path) {
  const auto text = read_file(path);
  if (!text) throw std::runtime_error("cannot read " + path.string() + ": it is not there");
  const auto* begin = reinterpret_cast<const std::byte*>(text->data());
  return {begin, begin + text->size()};
}

}  // namespace geak::support
