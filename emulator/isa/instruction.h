// A decoded machine instruction, in the dense form that the interpreter executes.
#pragma once

#include <cstdint>

namespace geak::emulator {

struct Wave;
struct Instruction;
struct Operation;

// Executes one instruction for all active lanes. Returns the instruction to execute next, or
// nullptr when the wave stops here (Wave::state and Wave::pc say how and where it resumes).
using Handler = const Instruction* (*)(Wave&, const Instruction*);

enum class Format : std::uint8_t {
  unknown,
  sop1,
  sop2,
  sopk,
  sopc,
  sopp,
  smem,
  vop1,
  vop2,
  vopc,
  vop3,   // VOP3A, and VOP3B (whose `sdst` is a lane mask)
  vop3p,  // packed math, mixed precision, dot products
  mai,    // matrix instructions and the moves of accumulation registers
  ds,
  flat,  // flat, global and scratch; see Segment
  mubuf,
  mtbuf,
  mimg,
  exp,
  vintrp,
};

// How VOP1, VOP2 and VOPC name their first operand.
enum class Form : std::uint8_t { plain, sdwa, dpp };

enum class Segment : std::uint8_t { flat = 0, scratch = 1, global = 2 };

// The classes by which executed instructions are counted.
enum class InstructionClass : std::uint8_t {
  salu,
  branch,
  scalar_memory,
  valu,
  transcendental,
  matrix,
  lds,
  flat,
  global,
  scratch,
  buffer,
  synchronization,  // barriers, waits, sleeps
  other,            // messages, caches, traps, end of program
};
inline constexpr unsigned kInstructionClasses = 13;

// Operand codes: the hardware's source encoding, widened.
//   0..127    scalar registers as Wave::sgpr is indexed (VCC 106, M0 124, EXEC 126)
//   128..208  inline integers; 235..239 apertures; 240..248 inline floats
//   251..253  VCCZ, EXECZ, SCC; 255 the literal
//   256..511  v0..v255; 512..767 a0..a255
inline constexpr std::uint16_t kVcc = 106, kM0 = 124, kExec = 126;
inline constexpr std::uint16_t kLiteral = 255, kVector0 = 256, kAccumulator0 = 512;
inline constexpr std::uint16_t kNoOperand = 0xffff;

inline constexpr bool is_vector_operand(std::uint16_t code) { return code >= kVector0; }

// Bits of Instruction::memory.
inline constexpr std::uint8_t kGlc = 1;   // SC0 on gfx942; for atomics: return the old value
inline constexpr std::uint8_t kSlc = 2;   // NT on gfx942
inline constexpr std::uint8_t kScc = 4;   // SC1 on gfx942
inline constexpr std::uint8_t kLds = 8;   // the destination is LDS (FLAT, MUBUF)
inline constexpr std::uint8_t kGds = 16;  // DS: global data share
inline constexpr std::uint8_t kIdxen = 32;
inline constexpr std::uint8_t kOffen = 64;
inline constexpr std::uint8_t kSve = 128;  // gfx942 scratch: the vector address is used

// Fields that a format lacks are kNoOperand or 0. Memory formats use them so:
//   SMEM       dst = data, src[0] = base (first register), src[1] = offset register or kNoOperand,
//              imm = offset in bytes (signed)
//   DS         src = {address, data0, data1}, dst, imm = offset0 | offset1 << 8
//   FLAT       src = {vaddr, vdata, saddr or kNoOperand}, dst, imm = offset (signed), segment
//   MUBUF      src = {vaddr, vdata, srsrc (first register), soffset}, dst = vdata, imm = offset
//   MTBUF      as MUBUF, control = dfmt | nfmt << 4
//   MAI        src = {a, b, c}, dst; control = cbsz | abid << 4 | blgp << 8
//   SOPP, SOPK imm = simm16 (signed); SOPP branches: target
//   s_setreg_imm32_b32, v_fmamk, v_fmaak: literal = K
struct alignas(64) Instruction {
  Handler handler = nullptr;
  const Operation* operation = nullptr;
  std::uint32_t offset = 0;  // bytes from the start of the program
  std::int32_t target = 0;   // direct branches: distance in Instructions from this one
  std::int32_t imm = 0;
  std::uint32_t literal = 0;
  std::uint32_t control = 0;  // SDWA, DPP: the second dword as encoded; MAI, MTBUF: see above
  std::uint16_t dst = kNoOperand;
  std::uint16_t sdst = kNoOperand;  // lane mask result: VOP3B, VOPC, VCC where implied
  std::uint16_t src[4] = {kNoOperand, kNoOperand, kNoOperand, kNoOperand};
  std::uint8_t size = 4;  // in bytes
  Format format = Format::unknown;
  Form form = Form::plain;
  Segment segment = Segment::flat;
  InstructionClass counter = InstructionClass::other;
  std::uint8_t memory = 0;
  // Modifiers of VOP3, VOP3P, SDWA and DPP; bit n is for source n.
  std::uint8_t neg = 0;
  std::uint8_t abs = 0;     // VOP3P: neg_hi
  std::uint8_t op_sel = 0;  // bit 3: destination
  std::uint8_t op_sel_hi = 0;
  std::uint8_t omod = 0;  // 1: times 2, 2: times 4, 3: divided by 2
  bool clamp = false;
  bool modified = false;  // any of the above differs from its default, or form is not plain
  bool last = false;      // the text ends after this instruction: nothing follows
};
static_assert(sizeof(Instruction) == 64);

}  // namespace geak::emulator
