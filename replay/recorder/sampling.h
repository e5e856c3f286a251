// Which launches are worth keeping.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "replay/archive/records.h"

namespace geak::replay {

struct SamplingLimits {
  unsigned launches_of_class = 6;
  std::uint64_t class_bytes = 512ull << 20;  // raw, over all samples of a class after the first
  std::uint64_t launch_bytes = 2ull << 30;   // raw: a launch that reaches more is not kept
  std::uint64_t archive_bytes = 4ull << 30;  // written
  unsigned classes_of_kernel = 24;           // afterwards only every so many-th new class

  // GEAK_RECORD_SAMPLES, GEAK_RECORD_CLASS_MIB, GEAK_RECORD_LAUNCH_MIB, GEAK_RECORD_ARCHIVE_MIB
  // where they are set.
  static SamplingLimits from_environment();
};

// Launches of one class have kernel, launch shape and sizes of their arguments' memory in common.
// Of each, the first, the second, the fourth and every later power of two are kept, so that late
// phases of a program (the last steps of a sort) are seen as well as the first.
class Sampler {
 public:
  explicit Sampler(SamplingLimits limits) : limits_(limits) {}

  // Counts the launch; true where it should be recorded.
  bool wants(const std::string& launch_class, const std::string& kernel);
  std::uint64_t ordinal(const std::string& launch_class) const;
  // What became of one that was wanted.
  void recorded(const std::string& launch_class, std::uint64_t raw_bytes);
  void skipped(const std::string& kernel, const std::string& why);

  const SamplingLimits& limits() const { return limits_; }
  Summary summary() const;

 private:
  struct Class {
    std::string kernel;
    std::uint64_t launches = 0, recorded = 0, raw_bytes = 0;
    bool sampled = true;
  };
  SamplingLimits limits_;
  std::map<std::string, Class> classes_;
  std::map<std::string, unsigned> classes_of_kernel_;
  std::map<std::pair<std::string, std::string>, std::uint64_t> skips_;  // kernel and why: how often
};

}  // namespace geak::replay
