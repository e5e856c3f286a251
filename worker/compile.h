// Compiling units for the GPU of this machine, on all cores.
#pragma once

#include <condition_variable>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace geak::worker {

struct CompileJob {
  std::filesystem::path source, output;
  std::vector<std::string> options;  // -I, -D, -std=
};

// Runs jobs in the order given; results by output file.
class CompilePool {
 public:
  // As gpu.h has them.
  CompilePool(std::string compiler, std::string architecture, unsigned jobs);
  // Waits for what runs; what has not begun is dropped.
  ~CompilePool();
  CompilePool(const CompilePool&) = delete;
  CompilePool& operator=(const CompilePool&) = delete;

  // Nothing is done where the output is there already. Each output once.
  void add(CompileJob job);
  // Waits for the job; empty where it succeeded, else the compiler's first complaint.
  std::string result(const std::filesystem::path& output);

  // Seconds that compilers ran, over all jobs, and how many did.
  double seconds() const { return seconds_; }
  unsigned compiled() const { return compiled_; }

 private:
  void work();
  std::string compile(const CompileJob& job);

  std::string compiler_, architecture_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<CompileJob> waiting_;
  std::map<std::filesystem::path, std::string> results_;
  bool stopping_ = false;
  double seconds_ = 0;
  unsigned compiled_ = 0;
  std::vector<std::thread> threads_;
};

// First line of the text that says "error", else its first line.
std::string first_error(const std::string& text);

}  // namespace geak::worker
