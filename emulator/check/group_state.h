// What the checks keep of a workgroup and its waves while they run.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "emulator/check/findings.h"
#include "emulator/check/race_cell.h"
#include "emulator/wave/monitor.h"
#include "emulator/wave/wave.h"

namespace geak::emulator::check {

// Where bits came from that nobody wrote.
struct Origin {
  Place place;
  Space space = Space::global;
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
  const Region* region = nullptr;
};

// Which bits of a wave's registers are not initialised. Registers that were never written count as
// initialised: only memory brings others in.
struct RegisterShadow {
  static constexpr unsigned kScalars = 128;

  std::unique_ptr<Lanes[]> v;     // as Wave::v, a bit for each; made when first needed
  std::bitset<kVectorRows> rows;  // with such bits
  std::bitset<kScalars> scalars;  // with such bits
  std::array<std::uint32_t, kScalars> s{};
  bool scc = false;
  std::array<std::uint16_t, kVectorRows> row_origin{};
  std::array<std::uint16_t, kScalars> scalar_origin{};
  std::uint16_t scc_origin = 0;
  std::vector<Origin> origins;

  bool any() const { return scc || rows.any() || scalars.any(); }
  void reset();
  Lanes& row(unsigned index);  // zero where it was not in use
};

// A race that is one unless an atomic operation at the same place follows.
struct DeferredRace {
  Finding finding;
  const Instruction* instruction = nullptr;
};

struct WaveChecks {
  RegisterShadow registers;
  std::vector<std::uint8_t> scratch;  // of each byte, interleaved as the scratch: 1 once written
  std::uint64_t initial_exec = 0;
  std::uint32_t number = 0;              // as race records name it
  std::uint64_t acquire_time = 0;        // when it last saw what others did
  std::vector<std::uint64_t> callers;    // return addresses, innermost first
  bool fenced = false;                   // it executed a fence
  const Instruction* barrier = nullptr;  // the last one it reached
  const Program* barrier_program = nullptr;
  std::vector<std::uint64_t> barrier_callers;
  std::map<std::pair<std::uint64_t, unsigned>, DeferredRace> deferred;  // by offset and lane
};

struct GroupChecks : MonitorData {
  std::vector<WaveChecks> waves;
  std::vector<std::uint8_t> lds;  // of each byte: 1 once written
  std::vector<RaceCell> lds_cells;
  bool quiet = false;  // a kernel of the runtime: followed, but never reported
  std::uint64_t number = 0;
  std::uint64_t dispatch_begin = 0, barrier_time = 0, acquire_time = 0;
};

}  // namespace geak::emulator::check
