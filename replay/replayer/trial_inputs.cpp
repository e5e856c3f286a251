#include "replay/replayer/trial_inputs.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <stdexcept>
#include <utility>

#include "replay/code_object/elf.h"
#include "replay/code_object/fat_binary.h"
#include "support/atomic_file.h"

namespace geak::replay {

std::vector<std::byte> read_code(const std::filesystem::path& file, const std::string& processor) {
  auto bytes = support::read_bytes(file);
  if (bytes.size() < 64) throw std::runtime_error(file.string() + " is no code object");
  if (std::memcmp(bytes.data(), "\177ELF", 4) == 0) return bytes;
  bytes.resize(bytes.size() + 64);  // room for headers that lie about their sizes
  try {
    const auto entries = unbundle(bytes.data());
    const auto* entry = code_for(entries, processor);
    if (!entry) throw std::runtime_error("it holds no code for " + processor);
    return entry->bytes;
  } catch (const std::exception& error) {
    throw std::runtime_error(file.string() + ": " + error.what());
  }
}

std::vector<std::byte> original_code(const ArchiveReader& archive, const LaunchRecord& record,
                                     const TrialSpec& spec) {
  const auto* object = archive.code_object(record.code_object);
  if (!object) throw std::runtime_error("the archive lacks the kernel's code object");
  auto recorded = archive.bytes_of(object->content);
  if (spec.original_code_object.empty()) return recorded;
  return read_code(spec.original_code_object, read_elf(recorded).machine);
}

std::vector<const LaunchRecord*> records_of(const ArchiveReader& archive, const TrialSpec& spec) {
  std::vector<const LaunchRecord*> all, chosen;
  for (const auto& launch : archive.launches()) {
    if (launch.kernel == spec.kernel) all.push_back(&launch);
  }
  if (all.empty()) {
    std::set<std::string> others;
    for (const auto& launch : archive.launches()) others.insert(launch.kernel);
    std::string text;
    for (const auto& other : others) text += (text.empty() ? "" : ", ") + other;
    throw std::runtime_error("the archive " + spec.archive.string() + " has no launch of " +
                             spec.kernel + "; it has launches of " +
                             (text.empty() ? "none" : text));
  }
  for (const auto index : spec.records) {
    if (index >= all.size()) {
      throw std::runtime_error("trial specification: field \"records\": the archive has " +
                               std::to_string(all.size()) + " launches of " + spec.kernel);
    }
    chosen.push_back(all[index]);
  }
  if (!chosen.empty()) return chosen;
  const std::size_t count =
      spec.max_records ? std::min<std::size_t>(spec.max_records, all.size()) : all.size();
  for (std::size_t i = 0; i < count; ++i) {
    chosen.push_back(all[count == 1 ? 0 : i * (all.size() - 1) / (count - 1)]);
  }
  std::ranges::sort(chosen, {},
                    [](const auto* record) { return std::pair(work_items(*record), record); });
  return chosen;
}

std::size_t place_among_launches(const ArchiveReader& archive, const LaunchRecord& record) {
  std::size_t place = 0;
  for (const auto& launch : archive.launches()) {
    if (&launch == &record) break;
    place += launch.kernel == record.kernel;
  }
  return place;
}

}  // namespace geak::replay
