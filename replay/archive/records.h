// What an archive holds, as the recorder writes and the replayer reads it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "replay/archive/frame.h"

namespace geak::replay {

// Bytes kept as blobs of at most kChunkBytes each, in order.
struct Content {
  std::uint64_t bytes = 0;
  std::vector<Digest> chunks;
  bool operator==(const Content&) const = default;
};

enum class MemoryKind { device, host, managed, global };

// An allocation, or a global variable of the code object, that the launch can reach.
struct Region {
  MemoryKind kind = MemoryKind::device;
  std::string name;         // of a global
  std::uint64_t base = 0;   // address in the recorded process
  std::uint64_t bytes = 0;  // as the program asked for
  Content before, after;
  // Not in the archive: whoever knows the elements to be narrower than an address says so. Two
  // 32-bit integers side by side may read as one.
  bool without_addresses = false;
};

// An eight-byte word that holds an address within a region.
struct PointerArgument {
  std::uint32_t offset = 0;        // in the kernarg bytes
  std::uint32_t region = 0;        // index
  std::uint64_t displacement = 0;  // from the region's base
};

struct LaunchRecord {
  std::string kernel;                           // device symbol
  Digest code_object{};                         // of the code object's bytes
  std::string launch_class;                     // launches alike; summary frames count them
  std::uint64_t ordinal = 0;                    // which launch of its class, from 1
  std::array<std::uint32_t, 3> grid{1, 1, 1};   // in work-items, as the packet says
  std::array<std::uint32_t, 3> block{1, 1, 1};  // in work-items
  std::uint32_t dynamic_lds = 0;
  bool cooperative = false;
  std::vector<std::uint8_t> kernarg;  // explicit arguments, at their offsets
  std::vector<PointerArgument> pointers;
  std::vector<Region> regions;
  std::vector<std::string> notes;
};

struct CodeObjectRecord {
  Digest digest{};     // of all its bytes
  std::string target;  // "amdgcn-amd-amdhsa--gfx90a"
  Content content;
};

// What one process launched, and what was not kept.
struct Summary {
  struct Class {
    std::string launch_class, kernel;
    std::uint64_t launches = 0, recorded = 0;
  };
  std::int64_t process = 0;
  std::vector<Class> classes;
  std::vector<std::string> skipped;  // sentences for people
};

struct ProgramRecord {
  std::int64_t process = 0;
  std::vector<std::string> command;
  std::string device;        // "AMD Instinct MI210"
  std::string architecture;  // "gfx90a:sramecc+:xnack-"
  std::string recorder;      // version of geak
};

std::uint64_t work_items(const LaunchRecord& launch);
// Of all regions.
std::uint64_t region_bytes(const LaunchRecord& launch);

nlohmann::json to_json(const LaunchRecord& launch);
nlohmann::json to_json(const CodeObjectRecord& object);
nlohmann::json to_json(const Summary& summary);
nlohmann::json to_json(const ProgramRecord& program);
// These throw std::runtime_error for what is no such record, and where offsets, indices or sizes
// contradict one another.
LaunchRecord launch_from_json(const nlohmann::json& json);
CodeObjectRecord code_object_from_json(const nlohmann::json& json);
Summary summary_from_json(const nlohmann::json& json);
ProgramRecord program_from_json(const nlohmann::json& json);

}  // namespace geak::replay
