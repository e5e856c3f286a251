// What a trial reads before it begins: code objects, and the launches that it is held on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "replay/archive/reader.h"
#include "replay/trial.h"

namespace geak::replay {

// An ELF file, or the one entry for `processor` of an offload bundle. Throws std::runtime_error.
std::vector<std::byte> read_code(const std::filesystem::path& file, const std::string& processor);

// The original's: the specification's file, else the archive's own, which was recorded with
// `record`.
std::vector<std::byte> original_code(const ArchiveReader& archive, const LaunchRecord& record,
                                     const TrialSpec& spec);

// The records of the kernel, small ones first: what is wrong on large ones alone is then told
// apart. Of more than the specification's maximum, ones spread over all. Throws std::runtime_error
// where there is none.
std::vector<const LaunchRecord*> records_of(const ArchiveReader& archive, const TrialSpec& spec);

// Which of its kernel's launches a record of the archive is, in the archive's order.
std::size_t place_among_launches(const ArchiveReader& archive, const LaunchRecord& record);

}  // namespace geak::replay
