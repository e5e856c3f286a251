// Appending to a .geakrec file.
#pragma once

#include <filesystem>
#include <functional>
#include <set>
#include <span>

#include "replay/archive/records.h"

namespace geak::replay {

// Writes the header of an empty archive. Throws std::system_error naming the file.
void create_archive(const std::filesystem::path& file);

// Appends whole frames, each with one write under a file lock, so that several processes may record
// into one archive and a killed one leaves it readable. Not thread safe.
class ArchiveWriter {
 public:
  // Throws std::system_error when the archive can't be opened.
  explicit ArchiveWriter(const std::filesystem::path& file);
  ~ArchiveWriter();
  ArchiveWriter(const ArchiveWriter&) = delete;
  ArchiveWriter& operator=(const ArchiveWriter&) = delete;

  // Keeps the bytes, each distinct chunk once. Throws std::system_error (disk full, ...).
  Content put(std::span<const std::byte> bytes);
  void put(const ProgramRecord& program);
  void put(const CodeObjectRecord& object);
  void put(const LaunchRecord& launch);
  void put(const Summary& summary);

  std::uint64_t bytes_written() const { return written_; }

 private:
  void append(FrameType type, std::span<const std::byte> raw);
  void append_json(FrameType type, const nlohmann::json& json);

  std::filesystem::path file_;
  int descriptor_ = -1;
  std::set<Digest> present_;
  std::uint64_t written_ = 0;
};

}  // namespace geak::replay
