// Runs the `geak` that stands beside this program, and other commands like it.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "llvm/Support/Error.h"

namespace geak::daemon {

struct CommandOptions {
  // Called with each line of standard error as it comes.
  std::function<void(std::string_view)> on_error_line;
  // Sends SIGINT to the command's process group, on which geak stops cleanly and keeps what it has.
  std::stop_token stop;
};

// Waits for the command and returns its standard output. An exit code other than 0 is an error
// that holds the last lines of standard error.
llvm::Expected<std::string> run_geak(const std::vector<std::string>& arguments,
                                     CommandOptions options = {});

// The same for any program; one without '/' is looked for in PATH.
llvm::Expected<std::string> run_command(const std::string& program,
                                        const std::vector<std::string>& arguments,
                                        CommandOptions options = {});

}  // namespace geak::daemon
