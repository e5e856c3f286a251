// Compiles one translation unit's device pass again and again, each time with another text of its
// main file. What the file includes at its head is parsed once, and the compiler's own jobs are
// started without its driver, which takes a quarter of compile_device's time. For looks at
// candidates: what is verified is compiled as the build compiles it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "optimizer/device_compile.h"

namespace geak::optimizer {

// What the compiler's driver would run: the compiler proper, then the linker on its object.
struct CompilerJobs {
  std::vector<std::string> compile, link;
  std::string object;  // between both
};

// From what the driver prints with -###. Nothing where it is not just these two jobs.
std::optional<CompilerJobs> jobs_in(const std::string& printed);

class WarmCompile {
 public:
  // `request`: as compile_device takes it; its overlay must replace the main file alone and may be
  // written later. Files of its own lie beside the output.
  explicit WarmCompile(DeviceCompile request) : request_(std::move(request)) {}

  // Nothing where it did not work, whoever is at fault: compile_device has the last word. After
  // `give_up` nothing, always.
  std::optional<DeviceCompileResult> compile();
  void give_up() { state_ = State::given_up; }

 private:
  enum class State { cold, warm, given_up };

  bool warm_up();
  bool run(const std::vector<std::string>& command) const;

  DeviceCompile request_;
  State state_ = State::cold;
  CompilerJobs jobs_;
};

}  // namespace geak::optimizer
