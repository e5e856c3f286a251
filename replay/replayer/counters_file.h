// What the emulator counted for each dispatch, where it is the emulator that ran it.
#pragma once

#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

namespace geak::replay {

class CountersFile {
 public:
  // Asks for counters through the environment; call before hsa_init. The file is that of
  // GEAK_REPLAY_COUNTERS, made anew and kept, for who wants to see each dispatch; else it is in the
  // temporary folder and removed at the end.
  CountersFile();
  ~CountersFile();
  CountersFile(const CountersFile&) = delete;
  CountersFile& operator=(const CountersFile&) = delete;

  // The line of the dispatch that has just ended; null where there is none.
  nlohmann::json next();
  // Whether any came: the device is emulated.
  bool present() const { return present_; }

 private:
  std::filesystem::path file_;
  std::streamoff read_ = 0;
  bool present_ = false, kept_ = false;
};

// Adds the numbers of `counters`, each times `weight`, to those of `sum`; other values are kept
// from the first.
void accumulate(nlohmann::json& sum, const nlohmann::json& counters, double weight);

}  // namespace geak::replay
