// What the hooks share: the state of one recording process.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "replay/archive/writer.h"
#include "replay/recorder/memory_map.h"
#include "replay/recorder/modules.h"
#include "replay/recorder/reachable.h"
#include "replay/recorder/sampling.h"

namespace geak::replay {

struct LaunchCall {
  const void* function = nullptr;               // host stub or hipFunction_t
  std::array<std::uint32_t, 3> grid{1, 1, 1};   // in work-items
  std::array<std::uint32_t, 3> block{1, 1, 1};  // in work-items
  std::uint32_t dynamic_lds = 0;
  bool cooperative = false;
  void* stream = nullptr;
  void** arguments = nullptr;    // one pointer to each explicit argument, or
  const void* buffer = nullptr;  // the kernarg bytes themselves
  std::size_t buffer_bytes = 0;
};

class Recorder {
 public:
  // Made by the first hook that is called, and never destroyed: libraries register their kernels
  // before our constructors and launch after our destructors.
  static Recorder& instance();
  // Null where no hook was called yet.
  static Recorder* existing();

  std::recursive_mutex mutex;
  MemoryMap memory;
  Modules modules;
  unsigned captures = 0;  // streams being captured into graphs: nothing may be synchronised

  bool active() const;
  // A launch that is to be kept, with the memory that it reaches, or nothing.
  struct Pending {
    LaunchRecord record;
    Reachable reached;
  };
  std::optional<Pending> before(const LaunchCall& call);
  void after(Pending& pending);
  // A launch that can't be kept.
  void skip(const std::string& kernel, const std::string& why);
  // At the end of the process.
  void finish();

 private:
  Recorder();
  void start();
  std::string architecture();
  void write_module(Module& module);
  std::vector<Allocation> globals_of(const Module& module);
  std::optional<Pending> prepare(const LaunchCall& call, const KernelReference& kernel);
  void stop(const std::string& why);

  std::unique_ptr<ArchiveWriter> writer_;
  Sampler sampler_;
  std::string architecture_;
  std::string file_;
  std::int64_t process_ = 0;
  bool stopped_ = false;
  std::vector<Allocation> asked_;
};

// True while this thread is inside of HIP or of the recorder because of an outer hook: HIP may call
// its own public functions.
class HookScope {
 public:
  HookScope() { ++depth(); }
  ~HookScope() { --depth(); }
  HookScope(const HookScope&) = delete;
  HookScope& operator=(const HookScope&) = delete;
  static bool inside() { return depth() > 0; }

 private:
  static int& depth() {
    static thread_local int value = 0;
    return value;
  }
};

// For the hooks of allocators: the map takes up an allocation that the program made itself, or
// forgets it. Null pointers and calls from inside of the runtime are passed over. To be forgotten
// before it is freed: once freed, another thread may be given the same address.
void remember(const void* pointer, std::uint64_t bytes, MemoryKind kind);
void forget(const void* pointer);

}  // namespace geak::replay
