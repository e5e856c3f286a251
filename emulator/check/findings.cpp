#include "emulator/check/findings.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace geak::emulator::check {
namespace {

using nlohmann::json;

json to_json(const std::vector<SourceFrame>& frames) {
  json result = json::array();
  for (const SourceFrame& frame : frames) {
    json each{{"function", frame.function}, {"file", frame.file}, {"line", frame.line}};
    if (!frame.module.empty()) each["module"] = frame.module;
    result.push_back(std::move(each));
  }
  return result;
}

json to_json(const Place& place, const std::vector<SourceFrame>& frames) {
  // The program's own line, rather than that of a system header's function that it called.
  SourceFrame first = frames.empty() ? SourceFrame{} : frames.front();
  for (const SourceFrame& frame : frames) {
    if (frame.line == 0 || frame.file.starts_with("/usr/")) continue;
    first = frame;
    break;
  }
  return {{"file", first.file},           {"line", first.line},
          {"column", first.column},       {"frames", to_json(frames)},
          {"workgroup", place.workgroup}, {"work_item", place.work_item},
          {"wave", place.wave},           {"lane", place.lane}};
}

const char* name_of(Region::Kind kind) {
  switch (kind) {
    case Region::Kind::device:
      return "device";
    case Region::Kind::host:
      return "host";
    case Region::Kind::locked:
      return "locked";
    default:
      return "code";
  }
}

const char* name_of(Direction direction) {
  switch (direction) {
    case Direction::read:
      return "read";
    case Direction::write:
      return "write";
    default:
      return "atomic";
  }
}

json to_json(const Region& region, std::uint64_t address, SourceLines& lines) {
  json result{{"serial", region.serial},
              {"kind", name_of(region.kind)},
              {"base", fmt::format("{:#x}", region.begin)},
              {"bytes", region.bytes},
              {"freed", region.freed},
              {"offset", static_cast<std::int64_t>(address - region.begin)},
              {"allocated_by", to_json(lines.host(region.allocated_by))}};
  if (region.freed) result["freed_by"] = to_json(lines.host(region.freed_by));
  return result;
}

}  // namespace

struct FindingLog::Entry {
  json document;
  std::uint64_t count = 0;
};

std::vector<SourceFrame> FindingLog::frames_of(const Place& place, const LoadedCode& code) {
  std::vector<SourceFrame> frames = lines_.device(code, place.code_address);
  for (const std::uint64_t caller : place.callers) {
    // The call lies before the address to return to.
    for (SourceFrame& frame : lines_.device(code, caller - 1)) frames.push_back(std::move(frame));
  }
  return frames;
}

bool FindingLog::is_new(const char* kind, const std::string& kernel, std::uint64_t code_address,
                        const std::vector<std::uint64_t>& callers) {
  const auto found = by_code_.find({kind, kernel, code_address, callers});
  if (found == by_code_.end()) return true;
  ++found->second->count;
  changed_ = true;
  return false;
}

void FindingLog::add(const Finding& finding, const std::string& kernel, const LoadedCode* code,
                     const std::string& instruction) {
  changed_ = true;
  const auto frames = frames_of(finding.place, *code);
  std::string where;
  for (const SourceFrame& frame : frames)
    where += frame.line ? fmt::format("{}:{} ", frame.file, frame.line) : "";
  if (where.empty()) where = fmt::format("{:#x}", finding.place.code_address);
  auto& entry = by_line_[{finding.kind, kernel, where}];
  if (!entry) entry = std::make_shared<Entry>();
  by_code_[{finding.kind, kernel, finding.place.code_address, finding.place.callers}] = entry;
  if (++entry->count > 1) return;
  entries_.push_back(entry);
  json& document = entry->document;
  document = {{"tool", finding.tool},
              {"kind", finding.kind},
              {"message", finding.message},
              {"kernel", demangled(kernel)},
              {"symbol", kernel},
              {"instruction", instruction},
              {"place", to_json(finding.place, frames)}};
  if (finding.other) {
    document["other"] = to_json(*finding.other, frames_of(*finding.other, *code));
    document["other"]["role"] = finding.other_role;
  }
  if (finding.space) document["space"] = to_string(*finding.space);
  if (finding.direction) document["access"] = name_of(*finding.direction);
  if (finding.bytes) document["bytes"] = finding.bytes;
  if (finding.space) document["address"] = fmt::format("{:#x}", finding.address);
  if (finding.region) document["allocation"] = to_json(*finding.region, finding.address, lines_);
}

bool FindingLog::add_host(const Finding& finding) {
  changed_ = true;
  auto entry = std::make_shared<Entry>();
  if (!finding.host_calls.empty()) {
    const auto [known, is_first] =
        by_call_.try_emplace({finding.kind, SourceLines::program_calls(finding.host_calls)}, entry);
    if (!is_first) {
      ++known->second->count;
      return false;
    }
  }
  entry->count = 1;
  entry->document = {{"tool", finding.tool}, {"kind", finding.kind}, {"message", finding.message}};
  if (!finding.host_calls.empty()) {
    entry->document["address"] = fmt::format("{:#x}", finding.address);
    entry->document["call"] = to_json(lines_.host(finding.host_calls));
  }
  if (const Region* region = finding.region) {
    const auto address = finding.address ? finding.address : region->begin;
    entry->document["allocation"] = to_json(*region, address, lines_);
  }
  entries_.push_back(std::move(entry));
  return true;
}

void FindingLog::write(const std::string& file, const std::vector<std::string>& tools,
                       std::uint64_t dispatches, const std::vector<std::string>& notes) {
  json findings = json::array();
  for (const auto& entry : entries_) {
    findings.push_back(entry->document);
    findings.back()["count"] = entry->count;
  }
  const json document{{"schema", 1},
                      {"tools", tools},
                      {"process", getpid()},
                      {"dispatches", dispatches},
                      {"findings", std::move(findings)},
                      {"notes", notes}};
  const std::string partial = fmt::format("{}.{}", file, getpid());
  std::ofstream out(partial);
  out << document.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
  out.close();
  if (!out || std::rename(partial.c_str(), file.c_str()) != 0)
    throw std::runtime_error("GEAK_EMU_CHECK_OUT: cannot write " + file);
  changed_ = false;
}

}  // namespace geak::emulator::check
