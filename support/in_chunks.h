// Work over large arrays on all cores.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace geak::support {

// Calls `work(chunk, begin, end)` for each chunk of `grain` elements of [0, count), the chunks in
// any order and several at once; one chunk runs here alone. Chunks do not depend on the machine, so
// what is put together by chunk is the same everywhere. Rethrows the first exception.
template <typename Work>
void in_chunks(std::size_t count, std::size_t grain, const Work& work) {
  const std::size_t chunks = (count + grain - 1) / grain;
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex mutex;
  const auto run = [&] {
    for (std::size_t chunk = next++; chunk < chunks; chunk = next++) {
      try {
        work(chunk, chunk * grain, std::min(count, (chunk + 1) * grain));
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
        next = chunks;
      }
    }
  };
  const auto cores = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::thread> others;
  for (std::size_t i = 1; i < std::min<std::size_t>(cores, chunks); ++i) others.emplace_back(run);
  run();
  for (auto& thread : others) thread.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace geak::support
