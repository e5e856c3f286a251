// A whole bundle: unpack, compile, record, hold courts, write the result.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace geak::worker {

struct RunOptions {
  std::vector<std::filesystem::path> bundles;  // tried as one
  std::filesystem::path result, work;
  std::string only;              // a glob over "target:kernel"; empty: all
  std::string sizes;             // comma-separated; empty: all
  unsigned jobs = 0;             // compilers at once; 0: one a core
  unsigned recorders = 4;        // programs recorded at once
  double seconds_a_kernel = 60;  // for each kernel and size
  double record_seconds = 120;   // for each program's run
  unsigned records = 3;          // launches tried of each kernel and size
  std::string verify_all_of;     // comma-separated sizes; of others until the fastest that is right
  std::function<void(const std::string&)> progress = [](const std::string&) {};
};

// Returns whether all was tried; false after Ctrl-C. Throws std::runtime_error where nothing can be
// done: no GPU, no compiler, a bad bundle.
bool run_bundle(const RunOptions& options);

}  // namespace geak::worker
