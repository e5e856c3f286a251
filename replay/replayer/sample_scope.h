// A part of a launch's workgroups for all of them on the emulated GPU, for as long as this lives;
// on any other device it does nothing. The emulator reads the variable at each dispatch
// (docs/emulator.md).
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>

namespace geak::replay {

// Where results are looked at all workgroups must run, whatever the environment says: that is a
// sample of 0.
class SampleScope {
 public:
  explicit SampleScope(std::uint64_t workgroups) : active_(workgroups > 0) {
    if (active_)
      ::setenv(kName, std::to_string(workgroups).c_str(), 1);
    else
      ::unsetenv(kName);
  }
  ~SampleScope() { ::unsetenv(kName); }
  SampleScope(const SampleScope&) = delete;
  SampleScope& operator=(const SampleScope&) = delete;

  bool active() const { return active_; }

 private:
  static constexpr const char* kName = "GEAK_EMU_SAMPLE";
  bool active_;
};

}  // namespace geak::replay
