// Which checks the environment asks for.
#pragma once

#include <string>
#include <vector>

namespace geak::emulator::check {

struct CheckSettings {
  bool memcheck = false;     // accesses outside of allocations, of freed ones, misaligned atomics
  bool initcheck = false;    // use of memory that nobody wrote
  bool racecheck = false;    // conflicting accesses with nothing that orders them
  bool ordercheck = false;   // racecheck that believes no volatile load by itself
  bool synccheck = false;    // barriers that not all work-items reach
  bool hazardcheck = false;  // results used before their s_waitcnt, missing wait states
  bool leakcheck = false;    // allocations of the program that it never frees
  std::string output;        // file of findings, with %p replaced by the process id; empty: none

  bool races() const { return racecheck || ordercheck; }
  bool any() const {
    return memcheck || initcheck || races() || synccheck || hazardcheck || leakcheck;
  }

  std::vector<std::string> names() const;  // of those that are on

  // Reads GEAK_EMU_CHECK (names of checks with commas between them; "all") and GEAK_EMU_CHECK_OUT.
  // Throws std::runtime_error that names the variable and what it may be.
  static CheckSettings from_environment();
};

}  // namespace geak::emulator::check
