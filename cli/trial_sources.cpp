#include "cli/trial_sources.h"

#include <algorithm>

#include "cli/subcommand.h"
#include "replay/gates/text_gate.h"
#include "replay/gates/unit_text.h"
#include "support/child_process.h"

namespace geak::cli {
namespace {

namespace fs = std::filesystem;

support::ChildResult compile(const fs::path& file, const TrialCompiler& compiler,
                             const std::vector<std::string>& more) {
  support::ChildOptions child;
  child.command = {compiler.program, "-O3", "--offload-arch=" + compiler.architecture};
  child.command.insert(child.command.end(), compiler.flags.begin(), compiler.flags.end());
  child.command.insert(child.command.end(), more.begin(), more.end());
  child.command.push_back(file.string());
  auto result = support::run_child(child);
  if (!result.succeeded()) {
    throw std::runtime_error(file.string() + " does not compile:\n" + result.err);
  }
  return result;
}

// The device's side alone: the host's never runs in a trial.
replay::UnitText text_of(const fs::path& file, const TrialCompiler& compiler) {
  return replay::own_text(compile(file, compiler, {"-E", "--offload-device-only"}).out);
}

}  // namespace

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
  const auto text = text_of(candidate, compiler);
  const auto known = is_hip_source(original) ? text_of(original, compiler) : replay::UnitText{};
  for (const auto& file : text.includes) {
    if (std::ranges::find(known.includes, file) != known.includes.end()) continue;
    return replay::Refusal{
        "the candidate includes " + file + ", which the original (--original) does not",
        "25: brings in other files"};
  }
  return replay::check_text(text.own, known.own);
}

}  // namespace geak::cli
