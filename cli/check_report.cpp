#include "cli/check_report.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <ostream>
#include <stdexcept>
#include <vector>

namespace geak::cli {
namespace {

using nlohmann::json;

std::string position(const json& frame) {
  const auto file = frame.value("file", "");
  const auto line = frame.value("line", 0u);
  if (file.empty() || line == 0) return frame.value("module", "");
  return file + ":" + std::to_string(line);
}

std::string triple(const json& three) {
  return "(" + std::to_string(three[0].get<unsigned>()) + ", " +
         std::to_string(three[1].get<unsigned>()) + ", " +
         std::to_string(three[2].get<unsigned>()) + ")";
}

void print_frames(std::ostream& out, const json& frames, const char* first, const char* next) {
  bool is_first = true;
  for (const json& frame : frames) {
    const auto where = position(frame);
    out << "    " << (is_first ? first : next) << ' ' << frame.value("function", "");
    if (!where.empty()) out << " (" << where << ')';
    out << '\n';
    is_first = false;
  }
}

void print_place(std::ostream& out, const json& place) {
  print_frames(out, place["frames"], "at", "inlined into");
  out << "    by work-item " << triple(place["work_item"]) << " of workgroup "
      << triple(place["workgroup"]) << " (wave " << place["wave"] << ", lane " << place["lane"]
      << ")\n";
}

void print_allocation(std::ostream& out, const json& allocation) {
  out << "    allocation " << allocation["serial"] << ": " << allocation["bytes"] << " bytes of "
      << allocation["kind"].get<std::string>() << " memory at "
      << allocation["base"].get<std::string>() << '\n';
  print_frames(out, allocation["allocated_by"], "allocated by", "            from");
  if (allocation.contains("freed_by"))
    print_frames(out, allocation["freed_by"], "freed by", "            from");
}

void print_finding(std::ostream& out, const json& finding) {
  out << "geak check: " << finding["tool"].get<std::string>() << ": "
      << finding["kind"].get<std::string>() << ": " << finding["message"].get<std::string>()
      << '\n';
  if (finding.contains("kernel"))
    out << "    in kernel " << finding["kernel"].get<std::string>() << '\n';
  if (finding.contains("place")) print_place(out, finding["place"]);
  if (finding.contains("call")) {
    print_frames(out, finding["call"], "called", "  from");
    out << "    pointer " << finding["address"].get<std::string>() << '\n';
  } else if (finding.contains("address"))
    out << "    " << finding["space"].get<std::string>() << " address "
        << finding["address"].get<std::string>() << ", "
        << finding["instruction"].get<std::string>() << '\n';
  if (finding.contains("other")) {
    out << "    " << finding["other"]["role"].get<std::string>() << '\n';
    print_place(out, finding["other"]);
  }
  if (finding.contains("allocation")) print_allocation(out, finding["allocation"]);
  if (const auto count = finding["count"].get<std::uint64_t>(); count > 1)
    out << "    " << count << " times; the first is shown\n";
}

json read(const std::filesystem::path& file) {
  std::ifstream in(file);
  json document = json::parse(in, nullptr, false);
  if (document.is_discarded() || !document.is_object())
    throw std::runtime_error(file.string() + ": no findings of the emulator");
  return document;
}

}  // namespace

json merged_findings(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  json merged{{"schema", 1},      {"tools", json::array()},    {"processes", files.size()},
              {"dispatches", 0u}, {"findings", json::array()}, {"notes", json::array()}};
  for (const auto& file : files) {
    const json document = read(file);
    merged["tools"] = document.at("tools");
    merged["dispatches"] =
        merged["dispatches"].get<std::uint64_t>() + document.at("dispatches").get<std::uint64_t>();
    for (const json& finding : document.at("findings")) merged["findings"].push_back(finding);
    for (const json& note : document.at("notes")) merged["notes"].push_back(note);
  }
  return merged;
}

void print_findings(std::ostream& out, const json& document) {
  for (const json& finding : document["findings"]) print_finding(out, finding);
  for (const json& note : document["notes"])
    out << "geak check: note: " << note.get<std::string>() << '\n';
  const auto count = document["findings"].size();
  out << "geak check: " << (count == 0 ? "no" : std::to_string(count))
      << (count == 1 ? " finding" : " findings") << " in " << document["dispatches"]
      << " launches\n";
}

}  // namespace geak::cli
