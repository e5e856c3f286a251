// What an instruction does to memory: which bytes each lane reads or writes.
#pragma once

#include <cstdint>

#include "emulator/isa/instruction.h"
#include "emulator/isa/memory/lane_access.h"
#include "emulator/wave/workgroup.h"

namespace geak::emulator::check {

enum class Space : std::uint8_t { global, lds, scratch };
const char* to_string(Space space);

// Of an instruction, from its mnemonic.
struct AccessForm {
  enum class Kind : std::uint8_t {
    none,
    global,
    flat,
    scratch,
    buffer,
    lds,
    lds_pair,     // two elements a lane
    lds_by_lane,  // at M0 plus the lane's number
    global_to_lds,
    scalar,
    scalar_buffer,
  };
  Kind kind = Kind::none;
  Direction direction = Direction::read;
  std::uint8_t bytes = 0;          // a lane's element
  std::uint16_t pair_scale = 1;    // lds_pair: offsets count so many elements
  bool high_half = false;          // of the register (D16 HI)
  bool low_half = false;           // of the register: the other half stays
  bool ignores_old_value = false;  // atomics: swap
  bool returns = false;            // atomics: the old value goes to the destination
};
AccessForm access_form(const Instruction& instruction);

// One element for each lane of `mask`. A scalar access is lane 0's.
struct Access {
  Space space = Space::global;
  Direction direction = Direction::read;
  std::uint8_t bytes = 0;
  bool scalar = false;
  std::uint64_t mask = 0;
  std::uint16_t data = kNoOperand;    // operand that is stored
  std::uint16_t result = kNoOperand;  // operand that is loaded
  // Host addresses; LDS: offsets; scratch: offsets in the lane's own segment.
  alignas(64) std::uint64_t at[kLanes];
};

struct Accesses {
  unsigned count = 0;
  Access each[3];
};

// As the instruction would execute now.
void find_accesses(WaveSlot& wave, const Instruction& instruction, const AccessForm& form,
                   Accesses& accesses);

// Offset in the wave's interleaved scratch of a byte of a lane's segment.
inline std::uint64_t scratch_byte(std::uint64_t offset, unsigned lane) {
  return offset / 4 * (4 * kLanes) + lane * 4 + offset % 4;
}

}  // namespace geak::emulator::check
