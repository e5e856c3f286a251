// How run_child() starts a program: between fork and exec.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <utility>

#include "support/child_process.h"

namespace geak::support {

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

// A child that was started, and our ends of its streams; those that are not captured have none.
struct Running {
  pid_t pid = -1;
  Descriptor in, out, err;
};

// Throws std::system_error when it can't be started.
Running start_child(const ChildOptions& options);

}  // namespace geak::support
