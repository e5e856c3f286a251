// What the checks keep of a workgroup and its waves while they run.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "emulator/check/findings.h"
#include "emulator/check/race_cell.h"
#include "emulator/check/wait_states.h"
#include "emulator/isa/disassembler.h"
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

// What the instructions of a wave have left undone.
struct HazardState {
  static constexpr unsigned kScalars = 128;
  struct Register {
    const Instruction* loader = nullptr;  // memory instruction that its value comes from
    std::uint64_t vector_index = 0;       // of it, among those that VMCNT counts; 0: not counted
    std::uint64_t local_index = 0;        // of it, among those that LGKMCNT counts
    // The vector or scalar instruction that wrote it last, when (in wait states), and the registers
    // that it wrote.
    const Instruction* writer = nullptr;
    const HazardForm* writer_form = nullptr;
    std::uint64_t written = 0;
    RegisterUse written_as;
    // The last one that hardware lets read it late.
    const Instruction* reader = nullptr;
    const HazardForm* reader_form = nullptr;
    std::uint64_t read = 0;
  };
  std::vector<Register> registers;  // scalars, then Wave::v; empty unless hazards are watched
  std::uint64_t now = 0;            // in wait states
  std::uint64_t vector_issued = 0, vector_done = 0;
  std::uint64_t local_issued = 0, local_done = 0;
  std::uint64_t out_of_order = 0;  // the last of the local ones that may come back in any order
  const Instruction* f64_matrix = nullptr;  // the last one
  std::uint64_t f64_matrix_at = 0;
  // Of each hardware register, what set it last and when.
  std::map<unsigned, std::pair<const Instruction*, std::uint64_t>> set_registers;

  // At s_waitcnt: at most so many are still under way.
  void wait(std::uint32_t vector, std::uint32_t local);
  bool is_pending(const Register& entry) const;
};

struct WaveChecks {
  RegisterShadow registers;
  HazardState hazards;
  // Unwritten values that the wave moved to scratch came from elsewhere; by dword of the scratch.
  std::unordered_map<std::uint64_t, Origin> scratch_origins;
  std::vector<std::uint8_t> scratch;  // of each byte, interleaved as the scratch: 1 once written
  std::uint64_t initial_exec = 0;
  std::uint32_t number = 0;            // as race records name it
  std::uint64_t acquire_time = 0;      // when it last saw what others did
  std::vector<std::uint64_t> callers;  // return addresses, innermost first
  bool fenced = false;                 // it executed a fence
  // ordercheck: when it last read what others write to be seen; when all that it had under way was
  // done, and the barrier it had passed by then; the same as of the last barrier.
  std::uint64_t sync_read = 0, waited = 0, barrier_waited = 0, waited_at_barrier = 0;
  // And what of that it has told others.
  std::uint64_t published = 0, published_barrier = 0;
  const Instruction* barrier = nullptr;  // the last one it reached
  const Program* barrier_program = nullptr;
  std::vector<std::uint64_t> barrier_callers;
  std::map<std::pair<std::uint64_t, unsigned>, DeferredRace> deferred;  // by offset and lane
};

struct GroupChecks : MonitorData {
  std::vector<WaveChecks> waves;
  std::vector<std::uint8_t> lds;                          // of each byte: 1 once written
  std::unordered_map<std::uint64_t, Origin> lds_origins;  // as scratch_origins
  std::vector<RaceCell> lds_cells;
  bool quiet = false;  // a kernel of the runtime: followed, but never reported
  std::uint64_t number = 0;
  std::uint64_t dispatch_begin = 0, barrier_time = 0, acquire_time = 0;
};

}  // namespace geak::emulator::check
