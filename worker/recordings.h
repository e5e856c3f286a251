// Records made on this machine: no data travels, and no size is out of reach.
#pragma once

#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "worker/bundle.h"

namespace geak::worker {

struct RecordingTools {
  std::string compiler, architecture;  // as gpu.h has them
  std::filesystem::path sources;       // the unpacked files
  std::filesystem::path recorder;      // the library that is preloaded
  std::filesystem::path work;          // where programs and archives go
  unsigned samples = 9;                // launches kept of each kernel, shape and memory size
  double seconds = 120;                // for a program's run
};

struct WantedRun {
  const Workload* workload = nullptr;
  const Workload::Run* run = nullptr;
};

// Builds the programs and records their runs, several at once, in the order given, while others
// work.
class Recordings {
 public:
  // `tell` hears of each run that has ended, from any thread: a problem, or nothing.
  using Tell = std::function<void(const WantedRun& run, const std::string& problem)>;
  Recordings(const Bundle& bundle, const RecordingTools& tools, std::vector<WantedRun> runs,
             unsigned at_once, Tell tell);
  // Waits for what runs; what has not begun is dropped.
  ~Recordings();
  Recordings(const Recordings&) = delete;
  Recordings& operator=(const Recordings&) = delete;

  // Waits for a run to end. Its archive; empty where there is none.
  std::filesystem::path archive(const WantedRun& run);

 private:
  void work();
  std::filesystem::path file_of(const WantedRun& run) const;
  std::filesystem::path program_of(const Workload& workload);
  void record(const WantedRun& run);

  const Bundle& bundle_;
  const RecordingTools tools_;
  std::vector<WantedRun> runs_;
  Tell tell_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t next_ = 0;
  bool stopping_ = false;
  std::map<const Workload::Run*, bool> ended_;  // and whether there is an archive
  std::map<const Workload*, std::mutex> building_;
  std::vector<std::thread> threads_;
};

}  // namespace geak::worker
