#include "daemon/geak_command.h"

#include <exception>

#include "llvm/Support/Path.h"
#include "support/child_process.h"
#include "support/install_paths.h"

namespace geak::daemon {
namespace {

// What of standard error a message of a failure shows.
llvm::StringRef end_of(llvm::StringRef text) { return text.take_back(2000).trim(); }

}  // namespace

llvm::Expected<std::string> run_geak(const std::vector<std::string>& arguments,
                                     CommandOptions options) {
  return run_command((support::InstallPaths::of_this_program().bin / "geak").string(), arguments,
                     std::move(options));
}

llvm::Expected<std::string> run_command(const std::string& program,
                                        const std::vector<std::string>& arguments,
                                        CommandOptions options) {
  support::ChildOptions child;
  child.command = {program};
  child.command.insert(child.command.end(), arguments.begin(), arguments.end());
  child.on_error_line = std::move(options.on_error_line);
  child.stop = std::move(options.stop);
  try {
    auto result = support::run_child(child);
    if (result.succeeded()) return std::move(result.out);
    return llvm::createStringError(llvm::sys::path::filename(program).str() + " " +
                                   arguments.front() + " failed: " + end_of(result.err).str());
  } catch (const std::exception& error) {
    return llvm::createStringError(error.what());
  }
}

}  // namespace geak::daemon
