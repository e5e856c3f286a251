#include "emulator/check/wait_states.h"

#include <algorithm>
#include <string_view>

namespace geak::emulator::check {
namespace {

bool has(std::string_view name, std::string_view part) {
  return name.find(part) != std::string_view::npos;
}

bool is_vector_alu(Format format) {
  switch (format) {
    case Format::vop1:
    case Format::vop2:
    case Format::vopc:
    case Format::vop3:
    case Format::vop3p:
    case Format::mai:
      return true;
    default:
      return false;
  }
}

bool is_scalar_alu(Format format) {
  return format == Format::sop1 || format == Format::sop2 || format == Format::sopk;
}

// The result's type of f32 multiplications is also that of the operands: v_mfma_f32_..._f32.
bool multiplies_f32(std::string_view name) {
  return name.starts_with("v_mfma_") && name.ends_with("f32") && !name.ends_with("xf32");
}

// A pass is four cycles. gfx942 does products of one block of 16 bits and less at twice gfx90a's
// rate (LLVM's scheduling models).
std::uint8_t passes_of(Arch arch, std::string_view name) {
  const bool small = has(name, "_4x4x");
  if (has(name, "_f64_")) return small ? 4 : 8;
  if (small) return 2;
  const std::uint8_t full = has(name, "_16x16x") ? 8 : 16;
  const bool several_blocks = has(name, "_2b_") || has(name, "_4b_");
  return arch == Arch::gfx90a || multiplies_f32(name) || several_blocks ? full : full / 2;
}

void add_matrix(HazardForm& form, Arch arch, std::string_view name) {
  form.matrix = true;
  form.f64 = has(name, "_f64_");
  form.xdl = !form.f64 && (arch == Arch::gfx90a || !multiplies_f32(name));
  form.passes = passes_of(arch, name);
}

// SDWA's DST_SEL in bits 10:8 of its dword, 6: the whole; OP_SEL's bit 3: the high half.
bool writes_part(const Instruction& i) {
  if (i.form == Form::sdwa && i.format != Format::vopc) return (i.control >> 8 & 7) != 6;
  return i.format == Format::vop3 && (i.op_sel & 8) != 0;
}

// Buffer stores with an offset in a scalar register fetch their data in time.
bool is_wide_store(const Instruction& i, std::string_view name) {
  const bool store = has(name, "_store_") || has(name, "_atomic_");
  const bool wide = !has(name, "d16") && (has(name, "x3") || has(name, "x4") || has(name, "_xyz") ||
                                          (has(name, "cmpswap") && has(name, "x2")));
  if (i.format == Format::flat) return store && wide;
  const bool buffer = i.format == Format::mubuf || i.format == Format::mtbuf;
  return buffer && store && wide && i.src[3] >= 128;
}

// gfx90a's numbers by passes are those of gfx942's XDL.
unsigned after_matrix(Arch arch, const HazardForm& writer) {
  return writer.passes + (arch == Arch::gfx90a || writer.xdl ? 3u : 2u);
}

// The result of a matrix instruction is C of another.
unsigned matrix_to_accumulator(Arch arch, const HazardForm& writer, const HazardForm& later,
                               bool same) {
  const bool gfx90a = arch == Arch::gfx90a;
  if (gfx90a && writer.f64 && !later.f64) return 0;
  if (same) {
    if (writer.f64 && later.f64 && writer.passes == 4 && later.passes == 4) return 4;
    return !gfx90a && writer.passes == 2 ? 2 : 0;
  }
  if (writer.f64) return later.xdl ? 0 : writer.passes == 4 ? 4 : 9;
  if (gfx90a) return later.f64 ? writer.passes + 1u : writer.passes;
  if (later.xdl && !writer.xdl) return 0;
  return writer.xdl ? writer.passes + 1u : writer.passes;
}

unsigned matrix_to_vector(Arch arch, const HazardForm& writer, const HazardForm& later,
                          const RegisterTouch& touch) {
  if (later.matrix) {
    if (touch.written) return 0;  // in order
    if (touch.accumulator) return matrix_to_accumulator(arch, writer, later, touch.same);
  }
  if (!writer.f64) return after_matrix(arch, writer);
  const bool by_memory = later.memory && !touch.written;
  if (writer.passes == 4) return by_memory ? 9 : 6;
  return by_memory ? 18 : 11;
}

unsigned dot_to_vector(const HazardForm& writer, const HazardForm& later,
                       const RegisterTouch& touch) {
  if (later.matrix) return 0;
  const bool same = writer.operation == later.operation;
  return same && (touch.written || touch.accumulator) ? 0 : 3;
}

// What hardware of gfx942 forwards late to the next vector instruction.
unsigned forwarded_late(const HazardForm& writer, const HazardForm& later) {
  return (writer.transcendental && !later.transcendental) || writer.partial || later.lane_read;
}

unsigned vector_register(Arch arch, const HazardForm& writer, const HazardForm& later,
                         const RegisterTouch& touch) {
  if (!writer.vector_alu || !(later.vector_alu || later.memory)) return 0;
  if (writer.matrix) return matrix_to_vector(arch, writer, later, touch);
  unsigned needed = writer.dot ? dot_to_vector(writer, later, touch) : 0;
  if (touch.written) return needed;
  if (later.matrix && !writer.dot) needed = std::max(needed, 2u);
  if (later.dpp) needed = std::max(needed, 2u);
  if (arch == Arch::gfx942 && later.vector_alu)
    needed = std::max(needed, forwarded_late(writer, later));
  return needed;
}

unsigned exec_read(Arch arch, const HazardForm& later) {
  if (later.dpp) return 5;
  if (later.matrix) return 4;
  return arch == Arch::gfx942 && (later.lane_read || later.lane_write) ? 4 : 0;
}

unsigned scalar_register(Arch arch, const HazardForm& writer, const HazardForm& later,
                         const RegisterTouch& touch) {
  if (touch.written) return 0;
  if (writer.scalar_alu) return touch.code == kM0 && later.reads_m0_late ? 1 : 0;
  if (!writer.vector_alu) return 0;
  if (touch.code / 2 == kExec / 2) return exec_read(arch, later);
  if (later.vector_memory) return 5;
  if (touch.lane) return 4;
  if (later.div_fmas && touch.code / 2 == kVcc / 2) return 4;
  return arch == Arch::gfx942 && later.vector_alu ? 2 : 0;
}

}  // namespace

HazardForm hazard_form(Arch arch, const Instruction& i) {
  HazardForm form;
  form.operation = i.operation;
  if (!i.operation) return form;
  const std::string_view name = i.operation->mnemonic;
  form.vector_alu = is_vector_alu(i.format);
  form.scalar_alu = is_scalar_alu(i.format);
  form.vector_memory =
      i.format == Format::flat || i.format == Format::mubuf || i.format == Format::mtbuf;
  form.memory = form.vector_memory || i.format == Format::ds;
  if (i.counter == InstructionClass::matrix) add_matrix(form, arch, name);
  form.dpp = i.form == Form::dpp;
  form.dot = name.starts_with("v_dot");
  form.fma_f64 = name.starts_with("v_fma_f64") || name.starts_with("v_fmac_f64");
  form.div_fmas = name.starts_with("v_div_fmas");
  form.transcendental = i.counter == InstructionClass::transcendental;
  form.partial = form.vector_alu && writes_part(i);
  form.lane_read = name.starts_with("v_readlane") || name.starts_with("v_readfirstlane");
  form.lane_write = name.starts_with("v_writelane");
  form.wide_store = is_wide_store(i, name);
  form.reads_m0_late = name.starts_with("s_sendmsg") || name.starts_with("s_movrel") ||
                       name.starts_with("ds_gws_") || (form.vector_memory && (i.memory & kLds));
  return form;
}

unsigned wait_after_write(Arch arch, const HazardForm& writer, const HazardForm& later,
                          const RegisterTouch& touch) {
  return touch.vector ? vector_register(arch, writer, later, touch)
                      : scalar_register(arch, writer, later, touch);
}

unsigned wait_after_read(Arch arch, const HazardForm& reader, const HazardForm& later) {
  if (later.matrix || !(later.vector_alu || later.memory)) return 0;
  if (reader.matrix) {
    const bool late = !reader.f64 && (arch == Arch::gfx90a || reader.xdl);
    return late ? reader.passes - 1u : 0;
  }
  if (reader.wide_store && later.vector_alu) return arch == Arch::gfx942 ? 2 : 1;
  return 0;
}

unsigned wait_after_f64_matrix(const HazardForm& later) { return later.fma_f64 ? 2 : 0; }

unsigned wait_around_f64_matrix(Arch arch, const HazardForm& writer, const HazardForm& later) {
  return arch == Arch::gfx90a && writer.vector_alu && later.memory ? 2 : 0;
}

}  // namespace geak::emulator::check
