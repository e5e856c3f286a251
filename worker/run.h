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
  std::string only;                // a glob over "target:kernel"; empty: all
  std::vector<std::string> sizes;  // in the order in which they are tried; empty: all
  unsigned jobs = 0;               // compilers at once; 0: one a core
  unsigned recorders = 4;          // programs recorded at once
  double seconds_a_kernel = 60;    // for each kernel and size
  double seconds = 0;              // for all; what is left is shared among what is left; 0: no end
  double record_seconds = 120;     // for each program's run
  unsigned records = 3;            // launches tried of each kernel and size
  // Sizes of which every candidate is verified, and of which none is; of others the fastest that is
  // right.
  std::vector<std::string> verify_all_of, verify_none_of;
  bool verify_all = false;
  std::function<void(const std::string&)> progress = [](const std::string&) {};
};

// Returns whether all was tried; false after Ctrl-C, or where the time ended. Throws
// std::runtime_error where nothing can be done: no GPU, no compiler, a bad bundle.
bool run_bundle(const RunOptions& options);

}  // namespace geak::worker
