#include "emulator/hsa/runtime.h"

#include <atomic>
#include <chrono>
#include <mutex>

#include "emulator/hsa/guard.h"

namespace geak::emulator {
namespace {

std::mutex open_mutex;
std::atomic<unsigned> users{0};
std::atomic<Runtime*> the_runtime{nullptr};

// When the library goes, after the program's own destructors have freed what they do.
[[gnu::destructor]] void finish_checks() {
  Runtime* runtime = the_runtime.load();
  if (runtime && runtime->checker) runtime->checker->finish();
}

}  // namespace

std::uint64_t host_timestamp() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

void Runtime::open() {
  const std::lock_guard lock(open_mutex);
  if (!the_runtime) the_runtime = new Runtime(Settings::from_environment());
  ++users;
}

bool Runtime::close() {
  const std::lock_guard lock(open_mutex);
  if (users == 0) return false;
  --users;
  return true;
}

bool Runtime::is_open() { return users.load(std::memory_order_acquire) != 0; }
check::Checker* Runtime::active_checker() {
  Runtime* runtime = the_runtime.load(std::memory_order_acquire);
  return runtime ? runtime->checker.get() : nullptr;
}

Runtime& Runtime::instance() { return *the_runtime.load(std::memory_order_acquire); }

Runtime::Runtime(const Settings& from) : settings(from), async_handlers(changes) {
  host_clock.saw(host_timestamp());
  if (settings.check.any()) {
    checker = std::make_unique<check::Checker>(settings.check);
    allocations.watch(checker.get());
  }
  agents_.push_back(make_cpu_agent());
  for (unsigned i = 0; i < settings.devices; ++i) {
    agents_.push_back(
        make_gpu_agent(*settings.device, settings.reported_arch, i, settings.threads));
  }
}

Agent* Runtime::find(hsa_agent_t handle) const {
  for (const auto& agent : agents_) {
    if (agent->handle().handle == handle.handle) return agent.get();
  }
  return nullptr;
}

Agent& Runtime::checked(hsa_agent_t handle) const {
  Agent* agent = find(handle);
  require(agent != nullptr, HSA_STATUS_ERROR_INVALID_AGENT);
  return *agent;
}

Pool* Runtime::find_pool(std::uint64_t handle) const {
  for (const auto& agent : agents_) {
    for (auto& pool : agent->pools) {
      if (reinterpret_cast<std::uint64_t>(&pool) == handle) return &pool;
    }
  }
  return nullptr;
}

}  // namespace geak::emulator
