// The state of one wavefront. Plain data: the interpreter, the scheduler and the checkers read and
// write it directly.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>

#include "emulator/isa/instruction.h"

namespace geak::emulator {

inline constexpr unsigned kLanes = 64;
// One vector register: a dword for each lane.
using Lanes = std::uint32_t[kLanes];

// Rows to allocate for Wave::v: any encodable register tuple stays inside, so that no handler
// checks bounds (256 VGPRs, 256 AGPRs behind accum_offset, and a tuple of 32).
inline constexpr unsigned kVectorRows = 256 + 256 + 32;

enum class WaveState : std::uint8_t {
  running,     // the quantum is used up, or not started
  at_barrier,  // pc is behind the s_barrier; the scheduler sets it running again
  sleeping,    // s_sleep; the scheduler may run others first
  waiting,     // blocked on something else (GWS, ...): pc is the instruction to execute again
  ended,
  faulted,  // fault_message says why; pc is the faulting instruction
};

class Program;
struct Workgroup;  // the scheduler's

// What a wave asks of its surroundings outside the instruction path.
class WaveHost {
 public:
  virtual ~WaveHost() = default;
  // The decoded instruction at a code address outside the wave's own program, else nullptr. May set
  // wave.program to the one that holds it.
  virtual const Instruction* find_code(Wave& wave, std::uint64_t address) = 0;
  // s_sendmsg; message as encoded (1: interrupt).
  virtual void send_message(Wave& wave, unsigned message) = 0;
};

struct FaultKind {
  enum Value : std::uint8_t { none, unknown_instruction, memory, trap, internal };
};

struct alignas(64) Wave {
  // Scalar operands by their encoding: s0-s101, FLAT_SCRATCH 102, XNACK_MASK 104, VCC 106,
  // TTMP 108, M0 124, EXEC 126; from 128 the inline constants (as 32-bit values), so that reading
  // any of them is one load. Set up by reset().
  std::uint32_t sgpr[256];

  Lanes* v = nullptr;           // kVectorRows rows, 64-byte aligned; owned by the scheduler
  unsigned accum_offset = 256;  // row of a0
  std::uint32_t scc = 0;        // 0 or 1
  std::uint32_t mode = 0;       // the MODE register as s_getreg shows it

  const Instruction* pc = nullptr;
  const Program* program = nullptr;
  std::int64_t quantum = 0;  // instructions that may still run, checked at taken branches
  WaveState state = WaveState::running;
  FaultKind::Value fault_kind = FaultKind::none;
  bool mode_changed = false;  // by the handler that just stopped: run_wave goes on with it
  std::uint8_t trap_id = 0;

  WaveHost* host = nullptr;
  Workgroup* workgroup = nullptr;
  std::byte* lds = nullptr;
  std::uint32_t lds_bytes = 0;
  std::uint32_t index_in_workgroup = 0;
  std::uint32_t hw_id = 0;   // HW_REG_HW_ID
  std::uint32_t xcc_id = 0;  // HW_REG_XCC_ID, gfx942

  std::uint64_t executed[kInstructionClasses];
  std::uint64_t active_lanes[kInstructionClasses];  // sum of popcount(EXEC)

  std::string fault_message;

  std::uint64_t scalar64(unsigned code) const {
    std::uint64_t value;
    std::memcpy(&value, &sgpr[code], 8);
    return value;
  }
  void set_scalar64(unsigned code, std::uint64_t value) { std::memcpy(&sgpr[code], &value, 8); }
  std::uint64_t exec() const { return scalar64(kExec); }
  std::uint64_t vcc() const { return scalar64(kVcc); }

  // The row of a vector operand code (VGPR or AGPR).
  Lanes& row(std::uint16_t code) const {
    return v[code < kAccumulator0 ? code - kVector0 : code - kAccumulator0 + accum_offset];
  }

  // Registers to zero, inline constants in place, EXEC all ones. Leaves v and the pointers alone.
  void reset(std::uint32_t initial_mode);
};

// MODE as a kernel descriptor's defaults give it: all denormals on, IEEE, DX10_CLAMP.
inline constexpr std::uint32_t kModeDx10Clamp = 1u << 8, kModeIeee = 1u << 9;
inline constexpr std::uint32_t kDefaultMode = 0xf0 | kModeDx10Clamp | kModeIeee;

// Stops the wave at `instruction` with a message; the handler returns the result.
const Instruction* fault(Wave& wave, const Instruction* instruction, FaultKind::Value kind,
                         std::string message);

}  // namespace geak::emulator
