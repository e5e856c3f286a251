#include "replay/archive/writer.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace geak::replay {
namespace {

[[noreturn]] void fail(const std::filesystem::path& file, const char* what) {
  throw std::system_error(errno, std::generic_category(), std::string(what) + " " + file.string());
}

bool write_all(int descriptor, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

}  // namespace

void create_archive(const std::filesystem::path& file) {
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) fail(file, "cannot create");
  const auto header = archive_header();
  const bool written = write_all(descriptor, header);
  const int error = errno;
  ::close(descriptor);
  if (!written) {
    errno = error;
    fail(file, "cannot write");
  }
}

ArchiveWriter::ArchiveWriter(const std::filesystem::path& file) : file_(file) {
  descriptor_ = ::open(file.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (descriptor_ < 0) fail(file, "cannot open");
}

ArchiveWriter::~ArchiveWriter() { ::close(descriptor_); }

void ArchiveWriter::append(FrameType type, std::span<const std::byte> raw) {
  const auto frame = encode_frame(type, raw);
  if (::flock(descriptor_, LOCK_EX) != 0) fail(file_, "cannot lock");
  struct stat before{};
  const bool known = ::fstat(descriptor_, &before) == 0;
  const bool written = write_all(descriptor_, frame);
  const int error = errno;
  // Half a frame (disk full) would hide whatever another process appends after it.
  if (!written && known && ::ftruncate(descriptor_, before.st_size) != 0) {
    // The reader stops at the damaged frame and says so: nothing more can be done here.
  }
  ::flock(descriptor_, LOCK_UN);
  if (!written) {
    errno = error;
    fail(file_, "cannot write");
  }
  written_ += frame.size();
}

void ArchiveWriter::append_json(FrameType type, const nlohmann::json& json) {
  // Bytes that are not UTF-8 (an argument of the program) are replaced, not refused.
  const auto text = json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  append(type, std::as_bytes(std::span(text)));
}

Content ArchiveWriter::put(std::span<const std::byte> bytes) {
  Content content;
  content.bytes = bytes.size();
  while (!bytes.empty()) {
    const auto chunk = bytes.first(std::min(bytes.size(), kChunkBytes));
    const Digest digest = digest_of(chunk);
    if (!present_.contains(digest)) {
      append(FrameType::blob, chunk);
      present_.insert(digest);
    }
    content.chunks.push_back(digest);
    bytes = bytes.subspan(chunk.size());
  }
  return content;
}

void ArchiveWriter::put(const ProgramRecord& program) {
  append_json(FrameType::program, to_json(program));
}
void ArchiveWriter::put(const CodeObjectRecord& object) {
  append_json(FrameType::code_object, to_json(object));
}
void ArchiveWriter::put(const LaunchRecord& launch) {
  append_json(FrameType::launch, to_json(launch));
}
void ArchiveWriter::put(const Summary& summary) {
  append_json(FrameType::summary, to_json(summary));
}

}  // namespace geak::replay
