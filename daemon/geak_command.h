// Runs the `geak` that stands beside this program.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace geak::daemon {

struct GeakCommandOptions {
  // Called with each line of standard error as it comes.
  std::function<void(llvm::StringRef)> on_error_line;
  // Sends SIGINT, on which geak stops cleanly and keeps what it has.
  std::stop_token stop;
};

// Waits for the command and returns its standard output. An exit code other than 0 is an error
// that holds the last lines of standard error.
llvm::Expected<std::string> run_geak(const std::vector<std::string>& arguments,
                                     GeakCommandOptions options = {});

}  // namespace geak::daemon
