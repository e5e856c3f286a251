#include "support/child_start.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <stdexcept>
#include <system_error>

extern char** environ;

namespace geak::support {
namespace {

[[noreturn]] void fail(int error, const std::string& what) {
  throw std::system_error(error, std::generic_category(), what);
}

struct Pipe {
  Descriptor read_end, write_end;
};

Pipe make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) fail(errno, "cannot create a pipe");
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

// Everything that the child needs between fork and exec, made before the fork: only
// async-signal-safe calls are allowed there.
class Image {
 public:
  explicit Image(const ChildOptions& options) : strings_(options.command) {
    if (options.command.empty()) throw std::invalid_argument("no program given");
    for (auto& text : strings_) arguments_.push_back(text.data());
    arguments_.push_back(nullptr);
    std::map<std::string, std::string> variables;
    for (char** entry = environ; *entry; ++entry) {
      const std::string text = *entry;
      const auto equals = text.find('=');
      if (equals != std::string::npos) variables[text.substr(0, equals)] = text.substr(equals + 1);
    }
    for (const auto& [name, value] : options.environment) {
      if (value) {
        variables[name] = *value;
      } else {
        variables.erase(name);
      }
    }
    for (const auto& [name, value] : variables) variable_text_.push_back(name + "=" + value);
    for (auto& text : variable_text_) environment_.push_back(text.data());
    environment_.push_back(nullptr);
  }
  void exec() { execvpe(arguments_[0], arguments_.data(), environment_.data()); }

 private:
  std::vector<std::string> strings_, variable_text_;
  std::vector<char*> arguments_, environment_;
};

bool limit(int resource, std::uint64_t value) {
  if (value == 0) return true;
  rlimit limits{};
  if (getrlimit(static_cast<__rlimit_resource>(resource), &limits) != 0) return false;
  limits.rlim_cur =
      limits.rlim_max == RLIM_INFINITY ? value : std::min<rlim_t>(value, limits.rlim_max);
  return setrlimit(static_cast<__rlimit_resource>(resource), &limits) == 0;
}

bool redirect(ChildStream stream, int target, int captured) {
  if (stream == ChildStream::inherit) return true;
  if (stream == ChildStream::capture) return dup2(captured, target) >= 0;
  const int null = open("/dev/null", target == STDIN_FILENO ? O_RDONLY : O_WRONLY);
  return null >= 0 && dup2(null, target) >= 0;
}

// Runs in the child. Returns only on failure, with errno set.
void become(const ChildOptions& options, Image& image, const std::array<int, 3>& ends) {
  if (options.own_process_group) setpgid(0, 0);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int number : {SIGINT, SIGTERM, SIGQUIT, SIGPIPE}) signal(number, SIG_DFL);
  if (!options.directory.empty() && chdir(options.directory.c_str()) != 0) return;
  if (!redirect(options.stdin_stream, 0, ends[0]) || !redirect(options.stdout_stream, 1, ends[1]) ||
      !redirect(options.stderr_stream, 2, ends[2])) {
    return;
  }
  if (!limit(RLIMIT_AS, options.address_space_bytes) || !limit(RLIMIT_FSIZE, options.file_bytes) ||
      !limit(RLIMIT_CPU, options.cpu_seconds)) {
    return;
  }
  image.exec();
}

}  // namespace

Running start_child(const ChildOptions& options) {
  Image image(options);
  Pipe in, out, err, status = make_pipe();
  if (options.stdin_stream == ChildStream::capture) in = make_pipe();
  if (options.stdout_stream == ChildStream::capture) out = make_pipe();
  if (options.stderr_stream == ChildStream::capture) err = make_pipe();
  const pid_t pid = fork();
  if (pid < 0) fail(errno, "cannot start '" + options.command[0] + "'");
  if (pid == 0) {
    become(options, image, {in.read_end.get(), out.write_end.get(), err.write_end.get()});
    const int error = errno;
    [[maybe_unused]] const auto written = write(status.write_end.get(), &error, sizeof error);
    _exit(127);
  }
  if (options.own_process_group) setpgid(pid, pid);  // also here: whoever comes first
  status.write_end.reset();
  int error = 0;
  ssize_t got;
  do {
    got = read(status.read_end.get(), &error, sizeof error);
  } while (got < 0 && errno == EINTR);
  if (got == sizeof error) {
    waitpid(pid, nullptr, 0);
    fail(error, "cannot start '" + options.command[0] + "'");
  }
  return {pid, std::move(in.write_end), std::move(out.read_end), std::move(err.read_end)};
}

void exec_child(const ChildOptions& options) {
  Image image(options);
  if (!options.directory.empty() && chdir(options.directory.c_str()) != 0) {
    fail(errno, "cannot enter '" + options.directory.string() + "'");
  }
  image.exec();
  fail(errno, "cannot start '" + options.command[0] + "'");
}

}  // namespace geak::support
