#include "cli/trial_compile.h"

#include <regex>

#include "support/child_process.h"

namespace geak::cli {
namespace {

std::string gibibytes(std::uint64_t bytes) { return std::to_string(bytes >> 30) + " GiB"; }

bool ran_out_of_memory(const std::string& words) {
  for (const char* sign :
       {"out of memory", "bad_alloc", "Cannot allocate memory", "failed to map segment"}) {
    if (words.find(sign) != std::string::npos) return true;
  }
  return false;
}

// clang refuses LDS beyond the device's: "local memory (70000) exceeds limit (65536)".
std::optional<replay::Refusal> too_much_lds(const std::string& words) {
  static const std::regex pattern(R"(local memory \((\d+)\) exceeds limit \((\d+)\))");
  std::smatch found;
  if (!std::regex_search(words, found, pattern)) return std::nullopt;
  return replay::Refusal{"the candidate needs " + found[1].str() +
                             " bytes of LDS for a workgroup; the device has " + found[2].str(),
                         "20: more LDS than the device has"};
}

}  // namespace

std::string compile(const std::filesystem::path& file, const TrialCompiler& compiler,
                    const std::vector<std::string>& more) {
  support::ChildOptions child;
  child.command = {compiler.program, "-O3", "--offload-arch=" + compiler.architecture};
  child.command.insert(child.command.end(), compiler.flags.begin(), compiler.flags.end());
  child.command.insert(child.command.end(), more.begin(), more.end());
  child.command.push_back(file.string());
  child.timeout = compiler.time;
  // Its processes run one after the other: none may take longer than all are given.
  child.cpu_seconds = static_cast<std::uint64_t>(compiler.time.count() / 1000 + 1);
  child.address_space_bytes = compiler.memory_bytes;
  child.own_temporaries = true;
  auto result = support::run_child(child);
  if (result.truncated) {
    throw CompileError(file, "makes the compiler print more than " +
                                 std::to_string(child.capture_bytes >> 20) + " MiB");
  }
  if (result.succeeded()) return std::move(result.out);
  if (result.timed_out) {
    throw CompileError(file, "does not compile within " +
                                 std::to_string(compiler.time.count() / 1000) +
                                 " s (--timeout): the compiler was ended");
  }
  if (result.interrupted) throw CompileError(file, "was not compiled: interrupted");
  if (ran_out_of_memory(result.err)) {
    throw CompileError(file, "does not compile within " + gibibytes(compiler.memory_bytes) +
                                 " of memory: the compiler was ended");
  }
  const auto words = result.err.empty() ? result.out : result.err;
  throw CompileError(file, "does not compile:\n" + words, too_much_lds(words));
}

}  // namespace geak::cli
