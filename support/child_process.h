// Running another program under limits.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace geak::support {

enum class ChildStream {
  inherit,  // the parent's own
  discard,  // /dev/null
  capture,  // into ChildResult
};

struct ChildOptions {
  std::vector<std::string> command;  // the program, found through PATH, and its arguments
  // Changes to the parent's environment; no value: the variable is removed.
  std::vector<std::pair<std::string, std::optional<std::string>>> environment;
  std::filesystem::path directory;  // empty: the parent's
  std::string input;                // written to standard input when stdin_stream is capture
  ChildStream stdin_stream = ChildStream::discard;
  ChildStream stdout_stream = ChildStream::capture;
  ChildStream stderr_stream = ChildStream::capture;
  std::size_t capture_bytes = 64u << 20;  // of each stream; what comes after is dropped
  std::function<void(std::string_view)> on_error_line;  // of a captured stderr, as it comes
  std::optional<std::chrono::milliseconds> timeout;     // wall time
  // Asks it to stop by SIGINT, once, and waits for it: it may have work to save.
  std::stop_token stop;
  // Limits that the kernel enforces; 0: the parent's.
  std::uint64_t address_space_bytes = 0;
  std::uint64_t file_bytes = 0;
  std::uint64_t cpu_seconds = 0;
  // A process group of its own: it, with all that it started, is ended on a timeout or an
  // interrupt. Without one (a program in the user's terminal) only the child itself is.
  bool own_process_group = true;
  // TMPDIR is a folder of its own, removed with all that is in it when the child has ended: clang
  // leaves an empty folder behind for each HIP source, and more when it is killed.
  bool own_temporaries = false;
};

struct ChildResult {
  int exit_code = 0;  // 128 + signal if a signal ended it, as a shell says it
  int signal = 0;     // 0: it exited
  bool timed_out = false;
  bool interrupted = false;  // ended because support::interrupted() became true
  bool truncated = false;    // output beyond capture_bytes was dropped
  std::string out, err;
  std::chrono::nanoseconds wall{0};
  std::uint64_t peak_memory_bytes = 0;

  bool succeeded() const { return exit_code == 0 && !timed_out && !interrupted; }
};

// Runs it to its end. A child past its timeout or interrupted gets SIGTERM and two seconds later
// SIGKILL. Throws std::system_error when it can't be started: the code is ENOENT for a missing
// program, and the message names the program.
ChildResult run_child(const ChildOptions& options);

// Replaces this process (execvp). Returns only by throwing std::system_error.
[[noreturn]] void exec_child(const ChildOptions& options);

}  // namespace geak::support
