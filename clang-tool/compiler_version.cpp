#include "clang-tool/compiler_version.h"

#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "support/child_process.h"

namespace geak::clang_tool {
namespace {

/// N of the first "clang version N." in the compiler's answer. A compiler that cannot be started is
/// an error of whoever compiles with it, who says so; parsing does without.
unsigned asked(const CompileCommand& command) try {
  support::ChildOptions child;
  child.command = {command.arguments.front(), "--version"};
  child.directory = command.directory;
  child.timeout = std::chrono::seconds(60);
  const auto answer = support::run_child(child);
  constexpr std::string_view words = "clang version ";
  const auto found = answer.out.find(words);
  if (!answer.succeeded() || found == std::string::npos) return 0;
  return static_cast<unsigned>(
      std::strtoul(answer.out.c_str() + found + words.size(), nullptr, 10));
} catch (const std::system_error&) {
  return 0;
}

}  // namespace

unsigned clang_major_version(const CompileCommand& command) {
  if (command.arguments.empty()) return 0;
  static std::mutex mutex;
  static std::map<std::pair<std::string, std::string>, unsigned> known;
  const std::lock_guard lock(mutex);
  const auto [place, is_new] = known.try_emplace({command.directory, command.arguments.front()}, 0);
  if (is_new) place->second = asked(command);
  return place->second;
}

}  // namespace geak::clang_tool
