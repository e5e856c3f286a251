#include "cli/trial_sources.h"

#include <llvm/Demangle/Demangle.h>

#include <algorithm>
#include <cstdlib>

#include "clang-tool/extract.h"
#include "cli/raw_text.h"
#include "cli/subcommand.h"
#include "replay/gates/text_gate.h"
#include "replay/gates/unit_text.h"
#include "support/atomic_file.h"

namespace geak::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostText = 8u << 20;

// The device's side alone: the host's never runs in a trial.
replay::UnitText text_of(const fs::path& file, const TrialCompiler& compiler) {
  return replay::own_text(compile(file, compiler, {"-E", "--offload-device-only"}));
}

// What preprocessing would hide.
std::optional<replay::Refusal> check_raw(const fs::path& candidate, const fs::path& original) {
  const auto text = support::read_file(candidate).value_or("");
  const auto known = original.empty() ? "" : support::read_file(original).value_or("");
  const auto problem = check_raw_text(text, known);
  if (!problem) return std::nullopt;
  return replay::Refusal{"the candidate's text has " + problem->why + ", at " +
                             candidate.filename().string() + ":" + std::to_string(problem->line) +
                             " (" + problem->text + "); leave it out",
                         "25: changes how the program is linked"};
}

// "(float const*, std::pair<int, int>)" -> its two types.
std::vector<std::string> split_types(std::string_view list) {
  std::vector<std::string> types;
  if (list.size() < 2) return types;
  list = list.substr(1, list.size() - 2);
  int depth = 0;
  std::string type;
  for (const char c : list) {
    if (c == '<' || c == '(') ++depth;
    if (c == '>' || c == ')') --depth;
    if (c == ',' && depth == 0) {
      types.push_back(std::move(type));
      type.clear();
    } else {
      type += c;
    }
  }
  if (!type.empty()) types.push_back(std::move(type));
  return types;
}

std::vector<std::string> types_in_symbol(const std::string& symbol) {
  llvm::ItaniumPartialDemangler demangler;
  // It keeps pointers into the text that it is given.
  const auto name = symbol.substr(0, symbol.find('.'));
  if (demangler.partialDemangle(name.c_str())) return {};
  char* list = demangler.getFunctionParameters(nullptr, nullptr);
  if (!list) return {};
  auto types = split_types(list);
  std::free(list);
  return types;
}

std::vector<std::string> types_in_source(const std::string& symbol, const fs::path& source,
                                         const TrialCompiler& compiler) {
  clang_tool::CompileCommand command;
  command.file = source.string();
  command.directory = fs::current_path().string();
  command.arguments = {compiler.program, "--offload-arch=" + compiler.architecture};
  command.arguments.insert(command.arguments.end(), compiler.flags.begin(), compiler.flags.end());
  command.arguments.push_back(source.string());
  const auto unit = clang_tool::TranslationUnit::parse(command, clang_tool::Pass::device);
  std::vector<std::string> types;
  for (const auto& kernel : clang_tool::extract_kernels(unit)) {
    for (const auto& instantiation : kernel.instantiations) {
      if (instantiation.symbol != symbol) continue;
      for (const auto& parameter : kernel.parameters) types.push_back(parameter.type);
      return types;
    }
  }
  return types;
}

}  // namespace

std::vector<std::string> parameter_types(const std::string& symbol,
                                         const std::vector<fs::path>& sources,
                                         const TrialCompiler& compiler) {
  auto types = types_in_symbol(symbol);
  for (const auto& source : sources) {
    if (!types.empty() || !is_hip_source(source)) continue;
    try {
      types = types_in_source(symbol, source, compiler);
    } catch (const std::exception&) {
      // The types are guessed from the data then.
    }
  }
  return types;
}

bool is_hip_source(const fs::path& file) {
  const auto extension = file.extension();
  return extension == ".hip" || extension == ".cpp" || extension == ".cc" || extension == ".cu";
}

fs::path code_object_of(const fs::path& file, const TrialCompiler& compiler,
                        const fs::path& output) {
  if (!fs::exists(file)) throw UsageError("there is no file " + file.string());
  if (!is_hip_source(file)) return file;
  compile(file, compiler, {"--genco", "-o", output.string()});
  return output;
}

std::optional<replay::Refusal> check_source(const fs::path& candidate, const fs::path& original,
                                            const TrialCompiler& compiler) {
  const bool has_original = is_hip_source(original);
  if (auto refusal = check_raw(candidate, has_original ? original : fs::path())) return refusal;
  const auto text = text_of(candidate, compiler);
  const auto known = has_original ? text_of(original, compiler) : replay::UnitText{};
  for (const auto& file : text.includes) {
    if (std::ranges::find(known.includes, file) != known.includes.end()) continue;
    return replay::Refusal{
        "the candidate includes " + file + ", which the original (--original) does not",
        "25: brings in other files"};
  }
  if (text.own.size() > kMostText) {
    return replay::Refusal{"the candidate's text is longer than " +
                               std::to_string(kMostText >> 20) + " MiB once it is preprocessed",
                           ""};
  }
  auto refusal = replay::check_text(text.own, known.own);
  const auto place = refusal ? text.place_of(refusal->line) : "";
  if (!place.empty()) refusal->reason += ", at " + place;
  return refusal;
}

}  // namespace geak::cli
