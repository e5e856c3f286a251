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
#include <system_error>

#include "support/child_start.h"
#include "support/interrupt.h"
#include "support/scratch_folder.h"

namespace geak::support {
namespace {

using Clock = std::chrono::steady_clock;

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
      if (ended < 0 && errno != EINTR)
        throw std::system_error(errno, std::generic_category(),
                                "cannot wait for the child process");
      end_if_due();
    }
    drain();
    tell_lines(true);
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
    tell_lines(false);
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

  // Of standard error, those that are complete; at the end also one that is not.
  void tell_lines(bool at_end) {
    if (!options_.on_error_line) return;
    for (const std::string_view text = result_.err; told_ < text.size();) {
      const auto end = text.find_first_of("\r\n", told_);
      if (end == std::string_view::npos && !at_end) return;
      const auto line = text.substr(told_, end - told_);
      told_ = std::min(end, text.size() - 1) + 1;
      if (!line.empty()) options_.on_error_line(line);
    }
  }

  void end_if_due() {
    if (options_.stop.stop_requested() && !std::exchange(asked_to_stop_, true)) send(SIGINT);
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
  std::size_t told_ = 0;  // of result_.err, as lines
  bool asked_to_stop_ = false;
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
  Running child = start_child(options);
  ChildResult result;
  Conversation(options, child, result).run();
  return result;
}

}  // namespace geak::support
