#include "optimizer/warm_compile.h"

#include <llvm/Support/CommandLine.h>
#include <llvm/Support/StringSaver.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "clang-tool/preamble.h"
#include "optimizer/device_arguments.h"
#include "support/atomic_file.h"
#include "support/child_process.h"
#include "support/interrupt.h"
#include "support/json_text.h"

namespace geak::optimizer {
namespace {

namespace fs = std::filesystem;
using Command = std::vector<std::string>;

bool has(const Command& command, const char* argument) {
  return std::ranges::find(command, argument) != command.end();
}

Command words_of(const std::string& line) {
  llvm::BumpPtrAllocator memory;
  llvm::StringSaver saver(memory);
  llvm::SmallVector<const char*, 256> words;
  llvm::cl::TokenizeGNUCommandLine(line, saver, words);
  return {words.begin(), words.end()};
}

// The value of the last option of this name; null where there is none.
std::string* value_of(Command& command, const char* option) {
  for (std::size_t at = command.size(); at-- > 0;)
    if (command[at] == option && at + 1 < command.size()) return &command[at + 1];
  return nullptr;
}

// "-x hip FILE", which options are put before.
constexpr std::ptrdiff_t kInputWords = 3;

bool ends_with_input(const Command& command, const std::string& file) {
  return command.size() > kInputWords && command.back() == file &&
         *(command.end() - kInputWords) == "-x";
}

void replace(Command& command, const std::string& argument, const std::string& by) {
  std::ranges::replace(command, argument, by);
}

// A file beside the main file that exists for the compiler alone: its includes are looked for where
// those of the main file are.
std::string overlay_of(const fs::path& name, const fs::path& content) {
  nlohmann::ordered_json overlay;  // the version first: clang 15 takes it for none at the end
  overlay["version"] = 0;
  overlay["case-sensitive"] = "true";
  overlay["use-external-names"] = "false";
  overlay["roots"] = nlohmann::json::array(
      {{{"type", "file"}, {"name", name.string()}, {"external-contents", content.string()}}});
  return support::json_text(overlay, 2) + "\n";
}

}  // namespace

std::optional<CompilerJobs> jobs_in(const std::string& printed) {
  CompilerJobs jobs;
  std::istringstream lines(printed);
  for (std::string line; std::getline(lines, line);) {
    // A job is a line of quoted words; the rest says which compiler it is.
    if (!line.starts_with(" \"")) continue;
    Command words = words_of(line);
    if (jobs.compile.empty() && has(words, "-cc1"))
      jobs.compile = std::move(words);
    else if (!jobs.compile.empty() && jobs.link.empty() && !has(words, "-cc1"))
      jobs.link = std::move(words);
    else
      return std::nullopt;
  }
  const std::string* object = value_of(jobs.compile, "-o");
  if (object == nullptr || !has(jobs.compile, "-emit-obj") ||
      !has(jobs.compile, "-fcuda-is-device") || !has(jobs.link, object->c_str()) ||
      has(jobs.compile, "-include-pch"))
    return std::nullopt;
  jobs.object = *object;
  return jobs;
}

std::optional<DeviceCompileResult> WarmCompile::compile() {
  const auto begin = std::chrono::steady_clock::now();
  if (state_ == State::cold) state_ = warm_up() ? State::warm : State::given_up;
  if (state_ == State::given_up) return std::nullopt;
  DeviceCompileResult result;
  result.succeeded = run(jobs_.compile) && run(jobs_.link) && fs::exists(request_.output);
  result.interrupted = support::interrupted();
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (!result.succeeded && !result.interrupted) return std::nullopt;
  return result;
}

bool WarmCompile::run(const std::vector<std::string>& command) const {
  auto child = compiler_child(request_);
  child.command = command;
  return support::run_child(child).succeeded();
}

bool WarmCompile::warm_up() {
  const fs::path main_file = request_.command.file;
  const std::string head = clang_tool::head_of(support::read_file(main_file).value_or(""));
  if (head.empty()) return false;
  auto driver = compiler_child(request_);
  driver.command =
      device_arguments(request_.command, request_.target_id,
                       {"-###", "-ivfsoverlay", request_.overlay.string()}, request_.output);
  const auto jobs = jobs_in(support::run_child(driver).err);
  if (!jobs || !ends_with_input(jobs->compile, main_file.string())) return false;
  jobs_ = *jobs;

  const auto beside_output = [&](const char* extension) {
    return fs::path(request_.output).replace_extension(extension);
  };
  const fs::path head_file = beside_output(".head"), head_overlay = beside_output(".head.yaml");
  const fs::path precompiled = beside_output(".pch"), object = beside_output(".o");
  const fs::path head_name =
      main_file.parent_path() / (".geak_head_" + main_file.filename().string());
  support::write_if_changed(head_file, head);
  support::write_if_changed(head_overlay, overlay_of(head_name, head_file));
  const auto before_input = [](Command& command, std::initializer_list<std::string> options) {
    command.insert(command.end() - kInputWords, options);
  };
  // What the headers instantiate is instantiated once, too.
  before_input(jobs_.compile, {"-fpch-instantiate-templates"});
  Command precompile = jobs_.compile;
  replace(precompile, "-emit-obj", "-emit-pch");
  before_input(precompile, {"-ivfsoverlay", head_overlay.string()});
  *value_of(precompile, "-o") = precompiled.string();
  precompile.back() = head_name.string();

  before_input(jobs_.compile,
               {"-ivfsoverlay", head_overlay.string(), "-include-pch", precompiled.string()});
  *value_of(jobs_.compile, "-o") = object.string();
  replace(jobs_.link, jobs_.object, object.string());
  return run(precompile);
}

}  // namespace geak::optimizer
