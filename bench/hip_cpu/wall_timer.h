// Takes the place of sample::EventTimer where the host's time is wanted: events of the emulated GPU
// tell the time of the modelled device.
#pragma once

#include <hip/hip_runtime.h>

#include <chrono>
#include <cstdio>
#include <ctime>

namespace sample {

class WallTimer {
 public:
  void start() {
    (void)hipDeviceSynchronize();
    begin_ = std::chrono::steady_clock::now();
    processor_begin_ = processor_ms();
  }
  float stop_ms() {
    (void)hipDeviceSynchronize();
    const std::chrono::duration<double, std::milli> wall =
        std::chrono::steady_clock::now() - begin_;
    std::fprintf(stderr, "timed %.3f %.3f\n", wall.count(), processor_ms() - processor_begin_);
    return static_cast<float>(wall.count());
  }

 private:
  // Of all threads of the process.
  static double processor_ms() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
  }

  std::chrono::steady_clock::time_point begin_;
  double processor_begin_ = 0;
};

}  // namespace sample
