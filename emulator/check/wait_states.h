// How many wait states hardware needs between two instructions that touch one register, which it
// does not wait for by itself (an instruction is one, s_nop N is N + 1). The numbers are those of
// AMD's ISA manuals of MI200 and MI300 ("Manually Inserted Wait States") as LLVM's AMDGPU backend
// keeps them.
#pragma once

#include <cstdint>

#include "emulator/isa/instruction.h"
#include "emulator/isa/operation.h"
#include "emulator/model/device.h"

namespace geak::emulator::check {

// What of an instruction matters to them.
struct HazardForm {
  const Operation* operation = nullptr;
  bool vector_alu = false;  // v_*, those of matrices too
  bool scalar_alu = false;
  bool vector_memory = false;  // flat, global, scratch, buffer
  bool memory = false;         // these and LDS
  // Matrix instructions:
  bool matrix = false;
  bool f64 = false;
  bool xdl = false;  // neither f64 nor, on gfx942, f32
  std::uint8_t passes = 0;
  // Other vector instructions:
  bool dpp = false, dot = false, fma_f64 = false, div_fmas = false, transcendental = false;
  bool partial = false;  // writes a part of its result's dword
  bool lane_read = false, lane_write = false;
  bool wide_store = false;  // of more than 64 bits, whose data hardware fetches late
  bool reads_m0_late = false;
};
HazardForm hazard_form(Arch arch, const Instruction& instruction);

// How the later of two instructions touches a register that the earlier one wrote.
struct RegisterTouch {
  std::uint16_t code = 0;  // an operand code as Instruction's
  bool vector = false;
  bool written = false;      // else read
  bool accumulator = false;  // read as C of a matrix instruction or a dot product
  bool same = false;         // and by the number of registers that the writer wrote, from the same
  bool lane = false;         // read as the number of a lane
};

// After the earlier instruction wrote the register.
unsigned wait_after_write(Arch arch, const HazardForm& writer, const HazardForm& later,
                          const RegisterTouch& touch);
// Before the later one writes a vector register that the earlier one read as C, or stores.
unsigned wait_after_read(Arch arch, const HazardForm& reader, const HazardForm& later);
// f64 matrix instructions get in the way of others that have no register in common with them:
// after the last such one, and between a vector instruction and memory's use of its result.
unsigned wait_after_f64_matrix(const HazardForm& later);
unsigned wait_around_f64_matrix(Arch arch, const HazardForm& writer, const HazardForm& later);

inline constexpr unsigned kMostWaitStates = 19;

}  // namespace geak::emulator::check
