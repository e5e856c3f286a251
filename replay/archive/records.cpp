#include "replay/archive/records.h"

#include <stdexcept>

namespace geak::replay {
namespace {

using nlohmann::json;

constexpr std::uint64_t kMaximumContentBytes = 1ull << 40;
constexpr std::size_t kMaximumKernargBytes = 1u << 16;

NLOHMANN_JSON_SERIALIZE_ENUM(MemoryKind, {{MemoryKind::device, "device"},
                                          {MemoryKind::host, "host"},
                                          {MemoryKind::managed, "managed"},
                                          {MemoryKind::global, "global"}})

json content_json(const Content& content) {
  json chunks = json::array();
  for (const auto& chunk : content.chunks) chunks.push_back(to_hex(chunk));
  return {{"bytes", content.bytes}, {"chunks", std::move(chunks)}};
}

Content content_from(const json& value) {
  Content content;
  content.bytes = value.at("bytes").get<std::uint64_t>();
  if (content.bytes > kMaximumContentBytes) throw std::runtime_error("content of impossible size");
  for (const auto& chunk : value.at("chunks")) {
    content.chunks.push_back(digest_from_hex(chunk.get<std::string>()));
  }
  if (content.chunks.size() != (content.bytes + kChunkBytes - 1) / kChunkBytes) {
    throw std::runtime_error("content whose chunks do not make its size");
  }
  return content;
}

std::string hex_of(const std::vector<std::uint8_t>& bytes) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (const auto byte : bytes) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

std::vector<std::uint8_t> bytes_from_hex(const std::string& text) {
  if (text.size() % 2 || text.size() > 2 * kMaximumKernargBytes ||
      text.find_first_not_of("0123456789abcdef") != std::string::npos) {
    throw std::runtime_error("kernarg bytes that are not hexadecimal");
  }
  std::vector<std::uint8_t> bytes(text.size() / 2);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::uint8_t>(std::stoul(text.substr(2 * i, 2), nullptr, 16));
  }
  return bytes;
}

json region_json(const Region& region) {
  json value = {{"kind", region.kind},
                {"base", region.base},
                {"bytes", region.bytes},
                {"before", content_json(region.before)},
                {"after", content_json(region.after)}};
  if (!region.name.empty()) value["name"] = region.name;
  return value;
}

Region region_from(const json& value) {
  Region region;
  region.kind = value.at("kind").get<MemoryKind>();
  region.name = value.value("name", "");
  region.base = value.at("base").get<std::uint64_t>();
  region.bytes = value.at("bytes").get<std::uint64_t>();
  region.before = content_from(value.at("before"));
  region.after = content_from(value.at("after"));
  if (region.before.bytes != region.bytes || region.after.bytes != region.bytes) {
    throw std::runtime_error("a region's contents are not of its size");
  }
  if (region.kind == MemoryKind::global && region.name.empty()) {
    throw std::runtime_error("a global without a name");
  }
  return region;
}

void check_pointers(const LaunchRecord& launch) {
  for (const auto& pointer : launch.pointers) {
    if (pointer.region >= launch.regions.size() ||
        pointer.displacement > launch.regions[pointer.region].bytes ||
        pointer.offset + 8ull > launch.kernarg.size()) {
      throw std::runtime_error("a pointer argument that lies outside of its record");
    }
  }
}

void check_extents(const LaunchRecord& launch) {
  std::uint64_t threads = 1;
  for (int axis = 0; axis < 3; ++axis) {
    if (!launch.grid[axis] || !launch.block[axis]) throw std::runtime_error("an empty launch");
    threads *= launch.block[axis];
    if (threads > 1024) throw std::runtime_error("a workgroup of more than 1024 work-items");
  }
}

// Every failure of the JSON library becomes one kind of error that says what was being read.
template <typename Function>
auto reading(const char* what, const Function& function) {
  try {
    return function();
  } catch (const std::exception& error) {
    throw std::runtime_error(std::string("not a valid ") + what + ": " + error.what());
  }
}

}  // namespace

std::uint64_t work_items(const LaunchRecord& launch) {
  return std::uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2];
}

std::uint64_t region_bytes(const LaunchRecord& launch) {
  std::uint64_t bytes = 0;
  for (const auto& region : launch.regions) bytes += region.bytes;
  return bytes;
}

json to_json(const LaunchRecord& launch) {
  json pointers = json::array(), regions = json::array();
  for (const auto& pointer : launch.pointers) {
    pointers.push_back({{"offset", pointer.offset},
                        {"region", pointer.region},
                        {"displacement", pointer.displacement}});
  }
  for (const auto& region : launch.regions) regions.push_back(region_json(region));
  return {{"kernel", launch.kernel},
          {"code_object", to_hex(launch.code_object)},
          {"class", launch.launch_class},
          {"ordinal", launch.ordinal},
          {"grid", launch.grid},
          {"block", launch.block},
          {"dynamic_lds", launch.dynamic_lds},
          {"cooperative", launch.cooperative},
          {"kernarg", hex_of(launch.kernarg)},
          {"pointers", std::move(pointers)},
          {"regions", std::move(regions)},
          {"notes", launch.notes}};
}

LaunchRecord launch_from_json(const json& value) {
  return reading("launch record", [&] {
    LaunchRecord launch;
    launch.kernel = value.at("kernel").get<std::string>();
    launch.code_object = digest_from_hex(value.at("code_object").get<std::string>());
    launch.launch_class = value.at("class").get<std::string>();
    launch.ordinal = value.at("ordinal").get<std::uint64_t>();
    launch.grid = value.at("grid").get<std::array<std::uint32_t, 3>>();
    launch.block = value.at("block").get<std::array<std::uint32_t, 3>>();
    launch.dynamic_lds = value.at("dynamic_lds").get<std::uint32_t>();
    launch.cooperative = value.at("cooperative").get<bool>();
    launch.kernarg = bytes_from_hex(value.at("kernarg").get<std::string>());
    for (const auto& pointer : value.at("pointers")) {
      launch.pointers.push_back({pointer.at("offset").get<std::uint32_t>(),
                                 pointer.at("region").get<std::uint32_t>(),
                                 pointer.at("displacement").get<std::uint64_t>()});
    }
    for (const auto& region : value.at("regions")) launch.regions.push_back(region_from(region));
    launch.notes = value.at("notes").get<std::vector<std::string>>();
    check_pointers(launch);
    check_extents(launch);
    return launch;
  });
}

json to_json(const CodeObjectRecord& object) {
  return {{"digest", to_hex(object.digest)},
          {"target", object.target},
          {"content", content_json(object.content)}};
}

CodeObjectRecord code_object_from_json(const json& value) {
  return reading("code object record", [&] {
    return CodeObjectRecord{digest_from_hex(value.at("digest").get<std::string>()),
                            value.at("target").get<std::string>(),
                            content_from(value.at("content"))};
  });
}

json to_json(const Summary& summary) {
  json classes = json::array();
  for (const auto& entry : summary.classes) {
    classes.push_back({{"class", entry.launch_class},
                       {"kernel", entry.kernel},
                       {"launches", entry.launches},
                       {"recorded", entry.recorded}});
  }
  return {
      {"process", summary.process}, {"classes", std::move(classes)}, {"skipped", summary.skipped}};
}

Summary summary_from_json(const json& value) {
  return reading("summary", [&] {
    Summary summary;
    summary.process = value.at("process").get<std::int64_t>();
    for (const auto& entry : value.at("classes")) {
      summary.classes.push_back(
          {entry.at("class").get<std::string>(), entry.at("kernel").get<std::string>(),
           entry.at("launches").get<std::uint64_t>(), entry.at("recorded").get<std::uint64_t>()});
    }
    summary.skipped = value.at("skipped").get<std::vector<std::string>>();
    return summary;
  });
}

json to_json(const ProgramRecord& program) {
  return {{"process", program.process},
          {"command", program.command},
          {"device", program.device},
          {"architecture", program.architecture},
          {"recorder", program.recorder}};
}

ProgramRecord program_from_json(const json& value) {
  return reading("program record", [&] {
    return ProgramRecord{
        value.at("process").get<std::int64_t>(),
        value.at("command").get<std::vector<std::string>>(), value.at("device").get<std::string>(),
        value.at("architecture").get<std::string>(), value.at("recorder").get<std::string>()};
  });
}

}  // namespace geak::replay
