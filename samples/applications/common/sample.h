// What every sample needs and is not the sample's point: error checks, command line, event timer.
#pragma once

#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#define HIP_CHECK(call)                                                         \
  do {                                                                          \
    const hipError_t status_ = (call);                                          \
    if (status_ != hipSuccess) {                                                \
      std::fprintf(stderr, "%s:%d: %s failed: %s\n", __FILE__, __LINE__, #call, \
                   hipGetErrorString(status_));                                 \
      std::exit(3);                                                             \
    }                                                                           \
  } while (0)

namespace sample {

struct Options {
  unsigned size;
  unsigned seed;
};

// Reads `--size N` and `--seed N`; ends the program with status 2 on anything else.
inline Options parse_options(int argc, char** argv, unsigned default_size, unsigned min_size,
                             unsigned max_size, const char* size_meaning) {
  Options options{default_size, 12345};
  for (int i = 1; i < argc; ++i) {
    const bool is_size = std::strcmp(argv[i], "--size") == 0;
    const bool is_seed = std::strcmp(argv[i], "--seed") == 0;
    char* end = nullptr;
    const unsigned long value =
        (is_size || is_seed) && i + 1 < argc ? std::strtoul(argv[i + 1], &end, 0) : 0;
    if (end == nullptr || end == argv[i + 1] || *end != '\0' ||
        (is_size && (value < min_size || value > max_size))) {
      std::fprintf(stderr, "usage: %s [--size N] [--seed N]\n  N of --size: %s, %u to %u (%u)\n",
                   argv[0], size_meaning, min_size, max_size, default_size);
      std::exit(2);
    }
    (is_size ? options.size : options.seed) = static_cast<unsigned>(value);
    ++i;
  }
  return options;
}

// Time between start() and stop_ms() on the default stream, by the GPU's clock.
class EventTimer {
 public:
  EventTimer() {
    HIP_CHECK(hipEventCreate(&begin_));
    HIP_CHECK(hipEventCreate(&end_));
  }
  ~EventTimer() {
    (void)hipEventDestroy(begin_);
    (void)hipEventDestroy(end_);
  }
  EventTimer(const EventTimer&) = delete;
  EventTimer& operator=(const EventTimer&) = delete;

  void start() { HIP_CHECK(hipEventRecord(begin_)); }
  float stop_ms() {
    HIP_CHECK(hipEventRecord(end_));
    HIP_CHECK(hipEventSynchronize(end_));
    float ms = 0;
    HIP_CHECK(hipEventElapsedTime(&ms, begin_, end_));
    return ms;
  }

 private:
  hipEvent_t begin_{};
  hipEvent_t end_{};
};

// Prints one line for a case and returns whether it passed.
inline bool report(const char* name, bool passed, float ms) {
  std::printf("%s: %.4f ms, %s\n", name, ms, passed ? "PASS" : "FAIL");
  return passed;
}

}  // namespace sample
