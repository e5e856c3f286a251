#include "replay/archive/reader.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace geak::replay {
namespace {

[[noreturn]] void fail(const std::string& name, const std::string& what) {
  throw std::runtime_error(name + ": " + what);
}

std::shared_ptr<const void> map_file(const std::filesystem::path& file, std::size_t& bytes) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) fail(file.string(), std::strerror(errno));
  struct stat status{};
  const bool known = ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
  bytes = known ? static_cast<std::size_t>(status.st_size) : 0;
  void* memory = bytes ? ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, descriptor, 0) : MAP_FAILED;
  ::close(descriptor);
  if (memory == MAP_FAILED) fail(file.string(), known ? "the file is empty" : "not a regular file");
  return {memory, [bytes](const void* at) { ::munmap(const_cast<void*>(at), bytes); }};
}

}  // namespace

ArchiveReader ArchiveReader::open(const std::filesystem::path& file) {
  ArchiveReader reader;
  reader.name_ = file.string();
  std::size_t bytes = 0;
  reader.owner_ = map_file(file, bytes);
  reader.bytes_ = {static_cast<const std::byte*>(reader.owner_.get()), bytes};
  reader.index();
  return reader;
}

ArchiveReader ArchiveReader::from_bytes(std::vector<std::byte> bytes, const std::string& name) {
  ArchiveReader reader;
  reader.name_ = name;
  auto owner = std::make_shared<std::vector<std::byte>>(std::move(bytes));
  reader.bytes_ = *owner;
  reader.owner_ = std::move(owner);
  reader.index();
  return reader;
}

void ArchiveReader::index() {
  if (bytes_.size() < kArchiveHeaderBytes ||
      std::memcmp(bytes_.data(), kArchiveMagic.data(), kArchiveMagic.size()) != 0) {
    fail(name_, "not a .geakrec archive; record it again with `geak record`");
  }
  std::uint32_t version = 0;
  std::memcpy(&version, bytes_.data() + 8, sizeof version);
  if (version != kArchiveVersion) {
    fail(name_, "archive of format version " + std::to_string(version) + ", this geak reads " +
                    std::to_string(kArchiveVersion) + "; record it again with `geak record`");
  }
  std::size_t at = kArchiveHeaderBytes;
  while (at < bytes_.size()) {
    try {
      if (bytes_.size() - at < kFrameHeaderBytes) throw std::runtime_error("it is truncated");
      const auto header = decode_frame_header(bytes_.subspan(at).first<kFrameHeaderBytes>());
      if (header.stored_bytes > bytes_.size() - at - kFrameHeaderBytes) {
        throw std::runtime_error("it is truncated");
      }
      add(header, bytes_.subspan(at + kFrameHeaderBytes, header.stored_bytes));
      at += kFrameHeaderBytes + header.stored_bytes;
    } catch (const std::exception& error) {
      problems_.push_back(name_ + ": read up to byte " + std::to_string(at) + ": " + error.what());
      return;
    }
  }
}

void ArchiveReader::add(const FrameHeader& header, std::span<const std::byte> stored) {
  if (header.type == FrameType::blob) {
    blobs_.emplace(header.digest,
                   Blob{header, static_cast<std::size_t>(stored.data() - bytes_.data())});
    return;
  }
  const auto raw = decode_payload(header, stored);
  const auto* text = reinterpret_cast<const char*>(raw.data());
  const auto json = nlohmann::json::parse(text, text + raw.size());
  switch (header.type) {
    case FrameType::program:
      programs_.push_back(program_from_json(json));
      break;
    case FrameType::code_object:
      code_objects_.push_back(code_object_from_json(json));
      break;
    case FrameType::launch:
      launches_.push_back(launch_from_json(json));
      break;
    case FrameType::summary:
      summaries_.push_back(summary_from_json(json));
      break;
    case FrameType::blob:
      break;
  }
}

std::uint64_t ArchiveReader::launches_of_class(const std::string& launch_class) const {
  std::uint64_t launches = 0;
  for (const auto& summary : summaries_) {
    for (const auto& entry : summary.classes) {
      if (entry.launch_class == launch_class) launches += entry.launches;
    }
  }
  const auto recorded = std::ranges::count(launches_, launch_class, &LaunchRecord::launch_class);
  return std::max(launches, static_cast<std::uint64_t>(recorded));
}

const CodeObjectRecord* ArchiveReader::code_object(const Digest& digest) const {
  const auto found = std::ranges::find(code_objects_, digest, &CodeObjectRecord::digest);
  return found == code_objects_.end() ? nullptr : &*found;
}

std::vector<std::byte> ArchiveReader::bytes_of(const Content& content) const {
  std::vector<std::byte> bytes;
  for (const auto& digest : content.chunks) {
    const auto found = blobs_.find(digest);
    if (found == blobs_.end()) fail(name_, "the blob " + to_hex(digest) + " is missing");
    const auto& [header, offset] = found->second;
    const auto raw = decode_payload(header, bytes_.subspan(offset, header.stored_bytes));
    bytes.insert(bytes.end(), raw.begin(), raw.end());
  }
  if (bytes.size() != content.bytes) fail(name_, "a region's chunks do not make its size");
  return bytes;
}

}  // namespace geak::replay
