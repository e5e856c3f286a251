// Records made on this machine: no data travels, and no size is out of reach.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "worker/bundle.h"

namespace geak::worker {

struct RecordingTools {
  std::string compiler, architecture;  // nvcc, "sm_90"
  std::filesystem::path sources;       // the unpacked files
  std::filesystem::path recorder;      // libgeak-record-cuda.so
  std::filesystem::path work;          // where programs and archives go
  unsigned samples = 9;                // launches kept of each kernel, shape and memory size
  double seconds = 120;                // for a program's run
};

// Options of a unit, with its folders made absolute.
std::vector<std::string> options_of(const Unit& unit, const std::filesystem::path& sources);

// Builds the workload's program (nvcc -cudart shared: the recorder stands before that library) and
// records one of its runs. An archive that is there already is kept. Returns the archive. Throws
// std::runtime_error with the compiler's or the program's last words.
std::filesystem::path record(const Bundle& bundle, const Workload& workload,
                             const Workload::Run& run, const RecordingTools& tools);

}  // namespace geak::worker
