// A fixed order of waves and workgroups on the emulated GPU, for as long as this lives; on any
// other device it does nothing. The emulator reads the variable at each dispatch
// (docs/emulator.md).
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace geak::replay {

class ScheduleScope {
 public:
  explicit ScheduleScope(const char* seed) {
    if (const char* outer = std::getenv(kName)) outer_ = outer;
    ::setenv(kName, seed, 1);
  }
  ~ScheduleScope() { outer_ ? ::setenv(kName, outer_->c_str(), 1) : ::unsetenv(kName); }
  ScheduleScope(const ScheduleScope&) = delete;
  ScheduleScope& operator=(const ScheduleScope&) = delete;

  // Whether an order was asked for, by this or by whoever started the process.
  static bool active() { return std::getenv(kName) != nullptr; }

 private:
  static constexpr const char* kName = "GEAK_EMU_SCHEDULE";
  std::optional<std::string> outer_;
};

}  // namespace geak::replay
