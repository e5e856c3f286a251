// Runs dispatches on the calling thread, with helpers for those that are worth sharing.
#include <fmt/format.h>
#include <algorithm>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "emulator/isa/execution_log.h"
#include "emulator/isa/program.h"
#include "emulator/model/modelled_time.h"
#include "emulator/wave/counters_file.h"
#include "emulator/wave/dispatch.h"
#include "emulator/wave/launch.h"
#include "emulator/wave/monitor.h"
#include "emulator/wave/worker.h"

namespace geak::emulator {
namespace {

// Seconds from GEAK_EMU_TIMEOUT; zero for no limit. Throws std::runtime_error on anything else.
std::chrono::nanoseconds timeout_from_environment() {
  const char* text = std::getenv("GEAK_EMU_TIMEOUT");
  if (!text || !*text) return std::chrono::nanoseconds{0};
  double seconds = 0;
  const auto [end, error] = std::from_chars(text, text + std::strlen(text), seconds);
  if (error != std::errc() || *end != '\0' || !(seconds >= 0) || seconds > 1e9)
    throw std::runtime_error(
        fmt::format("GEAK_EMU_TIMEOUT='{}': must be a number of seconds", text));
  return std::chrono::nanoseconds{static_cast<std::int64_t>(seconds * 1e9)};
}

// Decoding needs tables that are made once in a process, in about the time of a small dispatch: a
// thread that is idle makes them, so that the first dispatch need not.
void prepare_decoding(Arch arch) {
  static constexpr std::uint32_t kEndOfProgram[] = {0xbf810000};
  try {
    Program(arch, std::as_bytes(std::span(kEndOfProgram)), 0);
  } catch (const std::exception&) {
    // The first dispatch meets the same error and reports it.
  }
}

class ThreadedExecutor : public Executor {
 public:
  ThreadedExecutor(Arch arch, unsigned threads) : timeout_(timeout_from_environment()) {
    const unsigned count = threads ? threads : std::max(std::thread::hardware_concurrency(), 1u);
    // The thread that calls run() is one of them.
    for (unsigned n = 1; n < count; ++n) {
      helpers_.emplace_back([this, arch, n] {
        if (n == 1) prepare_decoding(arch);
        help();
      });
    }
  }

  ~ThreadedExecutor() override {
    {
      const std::lock_guard lock(mutex_);
      closing_ = true;
    }
    wake_.notify_all();
    for (std::thread& helper : helpers_) helper.join();
  }

  DispatchResult run(const KernelDispatch& dispatch) override {
    DispatchResult result;
    try {
      run_checked(dispatch, result);
    } catch (const std::bad_alloc&) {
      result.error = ExecutionError{
          ExecutionError::Kind::out_of_resources,
          fmt::format("kernel '{}': the host is out of memory", dispatch.kernel_name)};
    } catch (const std::exception& error) {
      result.error = ExecutionError{ExecutionError::Kind::internal, error.what()};
    }
    return result;
  }

 private:
  struct Shared {
    Launch* launch;
    unsigned helpers = 0;  // at work on it
  };

  void run_checked(const KernelDispatch& dispatch, DispatchResult& result) {
    Launch launch(dispatch, DecodedPrograms::of(*dispatch.code), timeout_, gws_);
    result.error = launch.check();
    if (result.error) return;
    if (dispatch.monitor) dispatch.monitor->begin_dispatch(launch);
    Shared shared{&launch};
    // Memory of waves is kept for the thread's next dispatch.
    thread_local Worker worker;
    bool listed = false;
    guarded_work(worker, launch, [&] {
      if (helpers_.empty() || !launch.has_more() || launch.schedule) return;
      listed = true;
      {
        const std::lock_guard lock(mutex_);
        shared_.push_back(&shared);
      }
      wake_.notify_all();
    });
    if (listed) withdraw(shared);
    if (dispatch.monitor) dispatch.monitor->end_dispatch(launch);
    result.error = launch.take_error();
    if (ExecutionLog* log = ExecutionLog::instance(); log && result.error) log->write();
    finish(launch, result);
  }

  // Nothing may leave the threads: a failed allocation ends the launch.
  template <typename OnLong>
  static void guarded_work(Worker& worker, Launch& launch, OnLong&& on_long) {
    try {
      worker.work_on(launch, on_long);
    } catch (const std::bad_alloc&) {
      launch.fail({ExecutionError::Kind::out_of_resources,
                   fmt::format("kernel '{}': the host has no memory for its waves",
                               launch.dispatch.kernel_name)});
      worker = Worker{};
    }
  }

  void withdraw(Shared& shared) {
    std::unique_lock lock(mutex_);
    std::erase(shared_, &shared);
    left_.wait(lock, [&] { return shared.helpers == 0; });
  }

  void finish(Launch& launch, DispatchResult& result) {
    launch.complete();
    const ModelledTime time = modelled_time(*launch.dispatch.device, launch.counters(),
                                            {launch.workgroups(), launch.waves_per_workgroup});
    result.modelled_ns = time.ns;
    append_counters(launch, time);
    result.counters = std::make_shared<const Counters>(launch.counters());
  }

  void help() {
    Worker worker;
    std::unique_lock lock(mutex_);
    for (;;) {
      Shared* shared = nullptr;
      wake_.wait(lock, [&] {
        if (closing_) return true;
        for (Shared* each : shared_) {
          if (each->launch->can_start()) shared = each;
        }
        return shared != nullptr;
      });
      if (closing_) return;
      ++shared->helpers;
      lock.unlock();
      guarded_work(worker, *shared->launch, [] {});
      lock.lock();
      --shared->helpers;
      left_.notify_all();
    }
  }

  const std::chrono::nanoseconds timeout_;
  GlobalWaveSync gws_;
  std::mutex mutex_;
  std::condition_variable wake_;  // a helper: there may be work
  std::condition_variable left_;  // run(): a helper left a launch
  std::vector<Shared*> shared_;
  std::vector<std::thread> helpers_;
  bool closing_ = false;
};

}  // namespace

std::unique_ptr<Executor> make_executor(const DeviceDescription& device, unsigned threads) {
  return std::make_unique<ThreadedExecutor>(device.arch, threads);
}

}  // namespace geak::emulator
