#include "replay/replayer/counters_file.h"

#include <stdlib.h>
#include <unistd.h>

#include <string>

namespace geak::replay {

CountersFile::CountersFile()
    : file_(std::filesystem::temp_directory_path() /
            ("geak-replay-counters-" + std::to_string(::getpid()))) {
  const char* keep = ::getenv("GEAK_REPLAY_COUNTERS");
  kept_ = keep && *keep;
  if (kept_) {
    file_ = keep;
    std::filesystem::remove(file_);
  }
  ::setenv("GEAK_EMU_COUNTERS", file_.c_str(), 1);
}

CountersFile::~CountersFile() {
  if (kept_) return;
  std::error_code ignored;
  std::filesystem::remove(file_, ignored);
}

nlohmann::json CountersFile::next() {
  std::ifstream stream(file_);
  if (!stream) return nullptr;
  stream.seekg(read_);
  nlohmann::json last;
  for (std::string line; std::getline(stream, line);) {
    if (stream.eof()) break;  // half a line
    read_ = stream.tellg();
    auto json = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (json.is_object()) {
      last = std::move(json);
      present_ = true;
    }
  }
  return last;
}

void accumulate(nlohmann::json& sum, const nlohmann::json& counters, double weight) {
  if (counters.is_null()) return;
  if (counters.is_object()) {
    if (sum.is_null()) sum = nlohmann::json::object();
    for (const auto& [name, value] : counters.items()) accumulate(sum[name], value, weight);
  } else if (counters.is_number()) {
    sum = (sum.is_number() ? sum.get<double>() : 0.0) + weight * counters.get<double>();
  } else if (sum.is_null()) {
    sum = counters;
  }
}

}  // namespace geak::replay
