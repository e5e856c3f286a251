// Reading a .geakrec file, whatever its bytes are.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "replay/archive/records.h"

namespace geak::replay {

class ArchiveReader {
 public:
  // Throws std::runtime_error naming the file: it can't be opened, is no archive, or is of a
  // version that this geak does not read. Frames after the first damaged one are not read; the
  // damage is in problems().
  static ArchiveReader open(const std::filesystem::path& file);
  // The same from memory; `name` is what messages call it.
  static ArchiveReader from_bytes(std::vector<std::byte> bytes, const std::string& name);

  const std::vector<ProgramRecord>& programs() const { return programs_; }
  const std::vector<CodeObjectRecord>& code_objects() const { return code_objects_; }
  const std::vector<LaunchRecord>& launches() const { return launches_; }
  const std::vector<Summary>& summaries() const { return summaries_; }
  const std::vector<std::string>& problems() const { return problems_; }

  // How often launches of this class were made in all; at least the number recorded.
  std::uint64_t launches_of_class(const std::string& launch_class) const;
  // Null where the archive has none of this digest.
  const CodeObjectRecord* code_object(const Digest& digest) const;

  // Throws std::runtime_error where a chunk is missing or damaged.
  std::vector<std::byte> bytes_of(const Content& content) const;

 private:
  struct Blob {
    FrameHeader header;
    std::size_t offset = 0;
  };
  void index();
  void add(const FrameHeader& header, std::span<const std::byte> stored);

  std::string name_;
  std::shared_ptr<const void> owner_;  // keeps bytes_ alive: a mapping or a vector
  std::span<const std::byte> bytes_;
  std::map<Digest, Blob> blobs_;
  std::vector<ProgramRecord> programs_;
  std::vector<CodeObjectRecord> code_objects_;
  std::vector<LaunchRecord> launches_;
  std::vector<Summary> summaries_;
  std::vector<std::string> problems_;
};

}  // namespace geak::replay
