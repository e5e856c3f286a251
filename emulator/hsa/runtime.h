// The one runtime of the process: what hsa_init() opens.
#pragma once

#include <hsa/hsa.h>

#include <memory>
#include <vector>

#include "emulator/check/checker.h"
#include "emulator/hsa/agent.h"
#include "emulator/hsa/allocation_table.h"
#include "emulator/hsa/async_handlers.h"
#include "emulator/hsa/change_notifier.h"
#include "emulator/hsa/executable.h"
#include "emulator/hsa/settings.h"
#include "emulator/hsa/signal_pool.h"
#include "emulator/hsa/svm_table.h"

namespace geak::emulator {

// Made by the first hsa_init() and never destroyed: programs call the API from their own
// destructors, after main() and after the last hsa_shut_down().
class Runtime {
 public:
  // hsa_init and hsa_shut_down: counted. Throws what Settings throws.
  static void open();
  static bool close();  // false when it isn't open
  static bool is_open();
  // nullptr before it was opened, and where nothing is checked.
  static check::Checker* active_checker();
  static Runtime& instance();  // only when it was opened once

  // nullptr when the handle isn't of an agent, pool, ... of this runtime.
  Agent* find(hsa_agent_t handle) const;
  Agent& checked(hsa_agent_t handle) const;  // throws StatusError INVALID_AGENT
  Pool* find_pool(std::uint64_t handle) const;

  const std::vector<std::unique_ptr<Agent>>& agents() const { return agents_; }
  Agent& cpu() const { return *agents_.front(); }

  Settings settings;
  std::unique_ptr<check::Checker> checker;  // nullptr unless asked for
  ChangeNotifier changes;                   // signals and doorbells
  HostClock host_clock;
  SignalPool signals;
  AllocationTable allocations;
  ExecutableTable executables;
  AsyncHandlers async_handlers;
  SvmTable svm;

 private:
  explicit Runtime(const Settings& settings);
  std::vector<std::unique_ptr<Agent>> agents_;
};

}  // namespace geak::emulator
