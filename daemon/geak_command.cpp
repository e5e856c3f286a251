#include "daemon/geak_command.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>

#include "llvm/Support/Path.h"
#include "support/install_paths.h"

extern char** environ;

namespace geak::daemon {

namespace {

struct Pipe {
  int read = -1, write = -1;
  Pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) == 0) read = ends[0], write = ends[1];
  }
  ~Pipe() {
    if (read >= 0) close(read);
    close_write();
  }
  void close_write() {
    if (write >= 0) close(std::exchange(write, -1));
  }
};

llvm::Expected<pid_t> spawn(const std::string& program, const std::vector<std::string>& arguments,
                            int out, int err) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out, 1);
  posix_spawn_file_actions_adddup2(&actions, err, 2);
  // A group of its own: the editor's Ctrl-C is not the optimizer's.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);

  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (const auto& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  pid_t child = 0;
  const int error =
      posix_spawnp(&child, program.c_str(), &actions, &attributes, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error != 0)
    return llvm::createStringError("cannot start " + program + ": " + std::strerror(error));
  return child;
}

// Splits standard error into lines as it comes and keeps its end for the message of a failure.
class LineReader {
 public:
  explicit LineReader(std::function<void(llvm::StringRef)> on_line)
      : on_line_(std::move(on_line)) {}

  void append(llvm::StringRef data) {
    for (char c : data) {
      if (c != '\n' && c != '\r') {
        line_ += c;
        continue;
      }
      if (line_.empty()) continue;
      if (on_line_) on_line_(line_);
      tail_ += (tail_.empty() ? "" : "\n") + line_;
      if (tail_.size() > kTail) tail_.erase(0, tail_.size() - kTail);
      line_.clear();
    }
  }
  std::string tail() const { return tail_ + line_; }

 private:
  static constexpr size_t kTail = 2000;
  std::function<void(llvm::StringRef)> on_line_;
  std::string line_, tail_;
};

// False at the end of the stream.
template <typename Take>
bool drain(int descriptor, Take take) {
  char buffer[4096];
  const ssize_t size = read(descriptor, buffer, sizeof buffer);
  if (size > 0) take(llvm::StringRef(buffer, size));
  return size > 0 || (size < 0 && errno == EINTR);
}

}  // namespace

llvm::Expected<std::string> run_geak(const std::vector<std::string>& arguments,
                                     CommandOptions options) {
  return run_command((support::InstallPaths::of_this_program().bin / "geak").string(), arguments,
                     std::move(options));
}

llvm::Expected<std::string> run_command(const std::string& program,
                                        const std::vector<std::string>& arguments,
                                        CommandOptions options) {
  Pipe out, err;
  if (out.write < 0 || err.write < 0)
    return llvm::createStringError(std::string("cannot make a pipe: ") + std::strerror(errno));
  auto child = spawn(program, arguments, out.write, err.write);
  if (!child) return child.takeError();
  out.close_write();
  err.close_write();
  std::optional<std::stop_callback<std::function<void()>>> on_stop;
  on_stop.emplace(options.stop, [pid = *child] { kill(-pid, SIGINT); });

  std::string output;
  LineReader lines(options.on_error_line);
  pollfd streams[] = {{out.read, POLLIN, 0}, {err.read, POLLIN, 0}};
  while (streams[0].fd >= 0 || streams[1].fd >= 0) {
    if (poll(streams, 2, -1) < 0 && errno != EINTR) break;
    if (streams[0].revents && !drain(out.read, [&](auto data) { output += data; }))
      streams[0].fd = -1;
    if (streams[1].revents && !drain(err.read, [&](auto data) { lines.append(data); }))
      streams[1].fd = -1;
  }
  // WNOWAIT first: the id stays taken until no callback can signal it any more.
  siginfo_t info{};
  while (waitid(P_PID, *child, &info, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
  }
  on_stop.reset();
  int status = 0;
  while (waitpid(*child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return output;
  return llvm::createStringError(llvm::sys::path::filename(program).str() + " " +
                                 arguments.front() + " failed: " + lines.tail());
}

}  // namespace geak::daemon
