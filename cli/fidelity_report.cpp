#include "cli/fidelity_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <tuple>

namespace geak::cli {
namespace {

namespace fs = std::filesystem;

// Missing and refused ones first: they ended the program.
int rank_of(const std::string& fidelity) {
  if (fidelity == "missing") return 0;
  if (fidelity == "refused") return 1;
  return fidelity == "approximate" ? 2 : 3;
}

void add_file(const fs::path& file, std::map<std::string, ExecutedInstruction>& all) {
  std::ifstream stream(file);
  const auto list = nlohmann::json::parse(stream, nullptr, /*allow_exceptions=*/false);
  if (!list.is_array())
    throw std::runtime_error(file.string() + ": not a list of executed instructions");
  for (const auto& entry : list) {
    const auto name = entry.at("instruction").get<std::string>();
    ExecutedInstruction& to = all[name];
    to.name = name;
    to.fidelity = entry.at("fidelity").get<std::string>();
    to.note = entry.at("note").get<std::string>();
    to.executed += entry.at("executed").get<std::uint64_t>();
  }
}

}  // namespace

std::vector<ExecutedInstruction> collect_fidelity(const fs::path& prefix) {
  std::map<std::string, ExecutedInstruction> all;
  const std::string start = prefix.filename().string() + ".";
  for (const auto& entry : fs::directory_iterator(prefix.parent_path())) {
    if (!entry.path().filename().string().starts_with(start)) continue;
    add_file(entry.path(), all);
    fs::remove(entry.path());
  }
  std::vector<ExecutedInstruction> result;
  for (auto& [name, instruction] : all) result.push_back(std::move(instruction));
  std::sort(result.begin(), result.end(), [](const auto& a, const auto& b) {
    return std::tuple(rank_of(a.fidelity), a.name) < std::tuple(rank_of(b.fidelity), b.name);
  });
  return result;
}

std::string fidelity_text(const std::vector<ExecutedInstruction>& instructions) {
  std::map<std::string, unsigned> kinds;
  std::uint64_t executed = 0;
  for (const auto& instruction : instructions) {
    ++kinds[instruction.fidelity];
    executed += instruction.executed;
  }
  std::string text = fmt::format(
      "{} different instructions, {} executed by waves: {} exact, {} approximate, {} "
      "refused, {} missing\n",
      instructions.size(), executed, kinds["exact"], kinds["approximate"], kinds["refused"],
      kinds["missing"]);
  for (const auto& instruction : instructions) {
    text +=
        fmt::format("  {:32} {:>14}  {}{}{}\n", instruction.name, instruction.executed,
                    instruction.fidelity, instruction.note.empty() ? "" : ": ", instruction.note);
  }
  return text;
}

}  // namespace geak::cli
