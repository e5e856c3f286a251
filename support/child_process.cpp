#include "support/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <map>
#include <stdexcept>
#include <system_error>

#include "support/interrupt.h"
#include "support/scratch_folder.h"

extern char** environ;

namespace geak::support {
namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void fail(int error, const std::string& what) {
  throw std::system_error(error, std::generic_category(), what);
}

// A descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() { reset(); }
  void reset() {
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

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

struct Running {
  pid_t pid = -1;
  Descriptor in, out, err;  // our ends
};

Running start(const ChildOptions& options) {
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

void append(std::string& text, const char* bytes, std::size_t count, ChildResult& result,
            std::size_t most) {
  const std::size_t room = most > text.size() ? most - text.size() : 0;
  text.append(bytes, std::min(room, count));
  if (count > room) result.truncated = true;
}

// Moves data between us and the child until it has ended, and ends it when it must.
class Conversation {
 public:
  Conversation(const ChildOptions& options, Running& child, ChildResult& result)
      : options_(options), child_(child), result_(result) {
    for (const auto* end : {&child.in, &child.out, &child.err}) {
      if (end->get() >= 0) fcntl(end->get(), F_SETFL, O_NONBLOCK);
    }
  }

  void run() {
    int status = 0;
    rusage usage{};
    while (true) {
      if (options_.input.size() == written_) child_.in.reset();
      exchange(pause());
      const pid_t ended = wait4(child_.pid, &status, WNOHANG, &usage);
      if (ended == child_.pid) break;
      if (ended < 0 && errno != EINTR) fail(errno, "cannot wait for the child process");
      end_if_due();
    }
    drain();
    result_.wall = Clock::now() - begin_;
    result_.peak_memory_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
    if (WIFSIGNALED(status)) {
      result_.signal = WTERMSIG(status);
      result_.exit_code = 128 + result_.signal;
    } else {
      result_.exit_code = WEXITSTATUS(status);
    }
    if (options_.own_process_group) kill(-child_.pid, SIGKILL);  // what it left behind
  }

 private:
  // Short while nothing but polling can tell that the child has ended: its streams may be inherited
  // or held open by a grandchild.
  int pause() {
    pause_ms_ = std::min(pause_ms_ + 1, 20);
    return pause_ms_;
  }

  void exchange(int milliseconds) {
    std::array<pollfd, 4> polled{{{child_.in.get(), POLLOUT, 0},
                                  {child_.out.get(), POLLIN, 0},
                                  {child_.err.get(), POLLIN, 0},
                                  {stopping_ ? -1 : interrupt_descriptor(), POLLIN, 0}}};
    if (poll(polled.data(), polled.size(), milliseconds) <= 0) return;
    if (polled[0].revents) feed();
    if (polled[1].revents) read_some(child_.out, result_.out);
    if (polled[2].revents) read_some(child_.err, result_.err);
  }

  void feed() {
    const auto count =
        write(child_.in.get(), options_.input.data() + written_, options_.input.size() - written_);
    if (count > 0) {
      written_ += static_cast<std::size_t>(count);
    } else if (count < 0 && errno != EAGAIN && errno != EINTR) {
      child_.in.reset();  // it reads no more
      written_ = options_.input.size();
    }
  }

  // False when there is nothing more to read now.
  bool read_some(Descriptor& from, std::string& into) {
    std::array<char, 65536> buffer;
    const auto count = read(from.get(), buffer.data(), buffer.size());
    if (count > 0) {
      append(into, buffer.data(), static_cast<std::size_t>(count), result_, options_.capture_bytes);
      pause_ms_ = 0;
      return true;
    }
    if (count == 0) from.reset();
    return false;
  }

  void drain() {
    while (child_.out.get() >= 0 && read_some(child_.out, result_.out)) {
    }
    while (child_.err.get() >= 0 && read_some(child_.err, result_.err)) {
    }
  }

  void end_if_due() {
    const auto now = Clock::now();
    if (stopping_) {
      if (now - stopped_at_ > std::chrono::seconds(2)) send(SIGKILL);
      return;
    }
    result_.timed_out = options_.timeout && now - begin_ > *options_.timeout;
    result_.interrupted = interrupted();
    if (!result_.timed_out && !result_.interrupted) return;
    stopping_ = true;
    stopped_at_ = now;
    send(SIGTERM);
  }

  void send(int signal) { kill(options_.own_process_group ? -child_.pid : child_.pid, signal); }

  const ChildOptions& options_;
  Running& child_;
  ChildResult& result_;
  std::size_t written_ = 0;
  int pause_ms_ = 0;
  bool stopping_ = false;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point stopped_at_;
};

// A child that ends early must not end us when we write to it.
class IgnoreSigpipe {
 public:
  IgnoreSigpipe() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &set, &saved_);
  }
  ~IgnoreSigpipe() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    const timespec none{};
    while (sigtimedwait(&set, nullptr, &none) > 0) {
    }
    pthread_sigmask(SIG_SETMASK, &saved_, nullptr);
  }

 private:
  sigset_t saved_{};
};

}  // namespace

ChildResult run_child(const ChildOptions& options) {
  if (options.own_temporaries) {
    const ScratchFolder scratch("geak-child");
    ChildOptions inside = options;
    inside.own_temporaries = false;
    inside.environment.emplace_back("TMPDIR", scratch.path().string());
    return run_child(inside);
  }
  const IgnoreSigpipe guard;
  Running child = start(options);
  ChildResult result;
  Conversation(options, child, result).run();
  return result;
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
