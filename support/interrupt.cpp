#include "support/interrupt.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <system_error>

namespace geak::support {
namespace {

std::atomic<bool> flag{false};
std::atomic<int> read_end{-1};
std::atomic<int> write_end{-1};

extern "C" void on_interrupt(int signal) {
  const int saved = errno;
  if (flag.exchange(true)) {
    ::signal(signal, SIG_DFL);
    raise(signal);
  }
  [[maybe_unused]] const auto written = write(write_end.load(), "!", 1);
  errno = saved;
}

}  // namespace

void install_interrupt_handlers() {
  if (read_end.load() >= 0) return;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
    throw std::system_error(errno, std::generic_category(), "cannot create a pipe");
  }
  read_end = ends[0];
  write_end = ends[1];
  struct sigaction action = {};
  action.sa_handler = on_interrupt;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() { return flag.load(); }
int interrupt_descriptor() { return read_end.load(); }

}  // namespace geak::support
