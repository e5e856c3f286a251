#include "emulator/hsa/change_notifier.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <ctime>

namespace geak::emulator {

void ChangeNotifier::notify() {
  epoch_.fetch_add(1, std::memory_order_seq_cst);
  if (waiters_.load(std::memory_order_seq_cst) != 0) {
    syscall(SYS_futex, &epoch_, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
  }
}

void ChangeNotifier::wait(std::uint32_t seen, std::chrono::nanoseconds longest) {
  const auto nanoseconds =
      std::min<std::chrono::nanoseconds>(longest, std::chrono::nanoseconds(kPoll)).count();
  const timespec timeout{0, static_cast<long>(nanoseconds)};
  waiters_.fetch_add(1, std::memory_order_seq_cst);
  syscall(SYS_futex, &epoch_, FUTEX_WAIT_PRIVATE, seen, &timeout, nullptr, 0);
  waiters_.fetch_sub(1, std::memory_order_seq_cst);
}

}  // namespace geak::emulator
