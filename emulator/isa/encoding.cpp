#include "emulator/isa/encoding.h"

#include <algorithm>
#include <array>

namespace geak::emulator {
namespace {

constexpr std::uint32_t bits(std::uint32_t word, unsigned high, unsigned low) {
  return (word >> low) & ((1u << (high - low + 1)) - 1);
}

constexpr std::int32_t sign_extend(std::uint32_t value, unsigned width) {
  const unsigned shift = 32 - width;
  return static_cast<std::int32_t>(value << shift) >> shift;
}

constexpr std::uint16_t vector(std::uint32_t number) {
  return static_cast<std::uint16_t>(kVector0 + number);
}

constexpr std::uint16_t vector_or_accumulator(std::uint32_t number, bool accumulator) {
  return static_cast<std::uint16_t>((accumulator ? kAccumulator0 : kVector0) + number);
}

constexpr std::uint32_t kSdwa = 249, kDpp = 250;

bool one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// VOP2 operations that write or read a carry through VCC; as VOP3 they have a mask destination.
bool writes_carry(std::string_view name) {
  return one_of(name, {"v_add_co_u32", "v_sub_co_u32", "v_subrev_co_u32", "v_addc_co_u32",
                       "v_subb_co_u32", "v_subbrev_co_u32"});
}

bool reads_carry(std::string_view name) {
  return one_of(name, {"v_addc_co_u32", "v_subb_co_u32", "v_subbrev_co_u32", "v_cndmask_b32"});
}

bool has_mask_result(std::string_view name) {
  return writes_carry(name) ||
         one_of(name, {"v_div_scale_f32", "v_div_scale_f64", "v_mad_u64_u32", "v_mad_i64_i32"});
}

// VOP2 operations whose third source is the destination's old value.
bool accumulates_into_destination(std::string_view name) {
  return name.starts_with("v_fmac_") || name.starts_with("v_mac_") ||
         name.starts_with("v_dot2c_") || name.starts_with("v_dot4c_") ||
         name.starts_with("v_dot8c_") || name.starts_with("v_pk_fmac_") ||
         name == "v_cvt_pkaccum_u8_f32";
}

bool is_compare(std::string_view name) {
  return name.starts_with("v_cmp_") || name.starts_with("v_cmpx_");
}

void read_scalar(Format format, std::uint32_t word, Instruction& i) {
  switch (format) {
    case Format::sop1:
      i.dst = bits(word, 22, 16);
      i.src[0] = bits(word, 7, 0);
      break;
    case Format::sop2:
      i.dst = bits(word, 22, 16);
      [[fallthrough]];
    case Format::sopc:
      i.src[0] = bits(word, 7, 0);
      i.src[1] = bits(word, 15, 8);
      break;
    case Format::sopk:
      i.dst = bits(word, 22, 16);
      [[fallthrough]];
    default:
      i.imm = sign_extend(bits(word, 15, 0), 16);
  }
}

void read_smem(const std::uint32_t* words, Instruction& i) {
  i.src[0] = static_cast<std::uint16_t>(bits(words[0], 5, 0) * 2);
  i.dst = bits(words[0], 12, 6);
  if (bits(words[0], 16, 16)) i.memory |= kGlc;
  const bool immediate = bits(words[0], 17, 17), register_offset = bits(words[0], 14, 14);
  if (immediate) i.imm = sign_extend(bits(words[1], 20, 0), 21);
  if (register_offset)
    i.src[1] = bits(words[1], 31, 25);
  else if (!immediate)
    i.src[1] = bits(words[1], 6, 0);
}

void read_sdwa(std::uint32_t control, Instruction& i) {
  i.form = Form::sdwa;
  i.control = control;
  i.src[0] = bits(control, 23, 23) ? bits(control, 7, 0) : vector(bits(control, 7, 0));
  // Source 1's field holds a register number; bit 31 makes it a scalar one.
  if (i.src[1] != kNoOperand && bits(control, 31, 31))
    i.src[1] = static_cast<std::uint16_t>(i.src[1] - kVector0);
  i.neg = bits(control, 20, 20) | bits(control, 28, 28) << 1;
  i.abs = bits(control, 21, 21) | bits(control, 29, 29) << 1;
  if (i.format == Format::vopc) {
    i.sdst = bits(control, 15, 15) ? bits(control, 14, 8) : kVcc;
  } else {
    i.clamp = bits(control, 13, 13);
    i.omod = bits(control, 15, 14);
  }
}

void read_dpp(std::uint32_t control, Instruction& i) {
  i.form = Form::dpp;
  i.control = control;
  i.src[0] = vector(bits(control, 7, 0));
  i.neg = bits(control, 20, 20) | bits(control, 22, 22) << 1;
  i.abs = bits(control, 21, 21) | bits(control, 23, 23) << 1;
}

void read_vop12(std::string_view name, const std::uint32_t* words, Instruction& i) {
  const std::uint32_t word = words[0], src0 = bits(word, 8, 0);
  i.src[0] = static_cast<std::uint16_t>(src0);
  if (i.format != Format::vop1) i.src[1] = vector(bits(word, 16, 9));
  if (i.format == Format::vopc) {
    i.sdst = kVcc;
  } else {
    i.dst = vector(bits(word, 24, 17));
    if (writes_carry(name)) i.sdst = kVcc;
    if (reads_carry(name)) i.src[2] = kVcc;
  }
  if (name == "v_accvgpr_mov_b32") {
    i.dst = vector_or_accumulator(bits(word, 24, 17), true);
    i.src[0] = vector_or_accumulator(bits(src0, 7, 0), true);
  }
  // Scalar results take the destination field as a scalar register.
  if (name == "v_readfirstlane_b32") i.dst = bits(word, 24, 17);
  if (src0 == kSdwa) read_sdwa(words[1], i);
  if (src0 == kDpp) read_dpp(words[1], i);
}

void read_vop3(std::string_view name, const std::uint32_t* words, Instruction& i) {
  i.src[0] = bits(words[1], 8, 0);
  i.src[1] = bits(words[1], 17, 9);
  i.src[2] = bits(words[1], 26, 18);
  i.clamp = bits(words[0], 15, 15);
  i.neg = bits(words[1], 31, 29);
  i.omod = bits(words[1], 28, 27);
  if (is_compare(name)) {
    i.sdst = bits(words[0], 7, 0);
  } else if (one_of(name, {"v_readlane_b32", "v_readfirstlane_b32"})) {
    i.dst = bits(words[0], 7, 0);
  } else {
    i.dst = vector(bits(words[0], 7, 0));
  }
  if (has_mask_result(name)) {
    i.sdst = bits(words[0], 14, 8);
  } else {
    i.abs = bits(words[0], 10, 8);
    i.op_sel = bits(words[0], 14, 11);
  }
}

void read_vop3p(const std::uint32_t* words, Instruction& i) {
  for (unsigned n = 0; n < 3; ++n) i.src[n] = bits(words[1], 9 * n + 8, 9 * n);
  i.dst = vector(bits(words[0], 7, 0));
  i.clamp = bits(words[0], 15, 15);
  i.abs = bits(words[0], 10, 8);
  i.op_sel = bits(words[0], 13, 11);
  i.op_sel_hi = bits(words[1], 28, 27) | bits(words[0], 14, 14) << 2;
  i.neg = bits(words[1], 31, 29);
}

void read_mai(std::string_view name, const std::uint32_t* words, Instruction& i) {
  for (unsigned n = 0; n < 3; ++n) i.src[n] = bits(words[1], 9 * n + 8, 9 * n);
  const bool accumulators = bits(words[0], 15, 15);  // of C and D
  i.dst = vector_or_accumulator(bits(words[0], 7, 0), accumulators);
  auto to_accumulator = [](std::uint16_t& code) {
    if (code >= kVector0) code = static_cast<std::uint16_t>(code + kAccumulator0 - kVector0);
  };
  if (bits(words[1], 27, 27)) to_accumulator(i.src[0]);
  if (bits(words[1], 28, 28)) to_accumulator(i.src[1]);
  if (accumulators) to_accumulator(i.src[2]);
  i.control = bits(words[0], 10, 8) | bits(words[0], 14, 11) << 4 | bits(words[1], 31, 29) << 8;
  // The moves name registers of one file each; their encoding has no bit for it.
  if (name == "v_accvgpr_read_b32") {
    i.src[0] = vector_or_accumulator(bits(words[1], 7, 0), true);
    i.dst = vector(bits(words[0], 7, 0));
  } else if (name == "v_accvgpr_write_b32") {
    i.src[0] = bits(words[1], 8, 0);
    i.dst = vector_or_accumulator(bits(words[0], 7, 0), true);
  }
}

void read_ds(const std::uint32_t* words, Instruction& i) {
  const bool accumulator = bits(words[0], 25, 25);
  i.imm = static_cast<std::int32_t>(bits(words[0], 15, 0));
  if (bits(words[0], 16, 16)) i.memory |= kGds;
  i.src[0] = vector(bits(words[1], 7, 0));
  i.src[1] = vector_or_accumulator(bits(words[1], 15, 8), accumulator);
  i.src[2] = vector_or_accumulator(bits(words[1], 23, 16), accumulator);
  i.dst = vector_or_accumulator(bits(words[1], 31, 24), accumulator);
}

void read_flat(Arch arch, const std::uint32_t* words, Instruction& i) {
  const bool accumulator = bits(words[1], 23, 23);
  i.segment = static_cast<Segment>(bits(words[0], 15, 14));
  i.imm = i.segment == Segment::flat ? static_cast<std::int32_t>(bits(words[0], 11, 0))
                                     : sign_extend(bits(words[0], 12, 0), 13);
  if (bits(words[0], 16, 16)) i.memory |= kGlc;
  if (bits(words[0], 17, 17)) i.memory |= kSlc;
  if (bits(words[0], 25, 25)) i.memory |= kScc;
  if (bits(words[0], 13, 13)) i.memory |= arch == Arch::gfx942 ? kSve : kLds;
  i.src[0] = vector(bits(words[1], 7, 0));
  i.src[1] = vector_or_accumulator(bits(words[1], 15, 8), accumulator);
  i.dst = vector_or_accumulator(bits(words[1], 31, 24), accumulator);
  const std::uint32_t saddr = bits(words[1], 22, 16);
  if (saddr != 127 && i.segment != Segment::flat) i.src[2] = static_cast<std::uint16_t>(saddr);
}

void read_buffer(Format format, const std::uint32_t* words, Instruction& i) {
  const bool accumulator = bits(words[1], 23, 23);
  i.imm = static_cast<std::int32_t>(bits(words[0], 11, 0));
  if (bits(words[0], 12, 12)) i.memory |= kOffen;
  if (bits(words[0], 13, 13)) i.memory |= kIdxen;
  if (bits(words[0], 14, 14)) i.memory |= kGlc;
  if (format == Format::mubuf) {
    if (bits(words[0], 15, 15)) i.memory |= kScc;
    if (bits(words[0], 16, 16)) i.memory |= kLds;
    if (bits(words[0], 17, 17)) i.memory |= kSlc;
  } else {
    if (bits(words[1], 21, 21)) i.memory |= kScc;
    if (bits(words[1], 22, 22)) i.memory |= kSlc;
    i.control = bits(words[0], 22, 19) | bits(words[0], 25, 23) << 4;
  }
  i.src[0] = vector(bits(words[1], 7, 0));
  i.src[1] = i.dst = vector_or_accumulator(bits(words[1], 15, 8), accumulator);
  i.src[2] = static_cast<std::uint16_t>(bits(words[1], 20, 16) * 4);
  i.src[3] = bits(words[1], 31, 24);
}

// v_fmamk multiplies by the constant, v_fmaak adds it: present both as v_fma's operand order.
void read_trailing_constant(std::string_view name, const std::uint32_t* words, Instruction& i) {
  if (name.starts_with("v_fmaak") || name.starts_with("v_madak")) {
    i.literal = words[1];
    i.src[2] = kLiteral;
  } else if (name.starts_with("v_fmamk") || name.starts_with("v_madmk")) {
    i.literal = words[1];
    i.src[2] = i.src[1];
    i.src[1] = kLiteral;
  } else if (name == "s_setreg_imm32_b32" && i.size >= 8) {
    i.literal = words[1];
  }
}

}  // namespace

Format format_of(std::uint32_t word) {
  const std::uint32_t top9 = word >> 23;
  if (top9 == 0b101111101) return Format::sop1;
  if (top9 == 0b101111110) return Format::sopc;
  if (top9 == 0b101111111) return Format::sopp;
  if (word >> 28 == 0b1011) return Format::sopk;
  if (word >> 30 == 0b10) return Format::sop2;
  if (word >> 31 == 0) {
    const std::uint32_t top7 = word >> 25;
    if (top7 == 0b0111111) return Format::vop1;
    return top7 == 0b0111110 ? Format::vopc : Format::vop2;
  }
  if (top9 == 0b110100111) return bits(word, 22, 22) ? Format::mai : Format::vop3p;
  switch (word >> 26) {
    case 0b110000:
      return Format::smem;
    case 0b110001:
      return Format::exp;
    case 0b110100:
      return Format::vop3;
    case 0b110101:
      return Format::vintrp;
    case 0b110110:
      return Format::ds;
    case 0b110111:
      return Format::flat;
    case 0b111000:
      return Format::mubuf;
    case 0b111010:
      return Format::mtbuf;
    case 0b111100:
      return Format::mimg;
    default:
      return Format::unknown;
  }
}

void read_fields(Arch arch, std::string_view name, const std::uint32_t* words, unsigned size,
                 Instruction& i) {
  i.size = static_cast<std::uint8_t>(size);
  i.format = format_of(words[0]);
  switch (i.format) {
    case Format::sop1:
    case Format::sop2:
    case Format::sopc:
    case Format::sopk:
    case Format::sopp:
      read_scalar(i.format, words[0], i);
      break;
    case Format::smem:
      read_smem(words, i);
      break;
    case Format::vop1:
    case Format::vop2:
    case Format::vopc:
      read_vop12(name, words, i);
      break;
    case Format::vop3:
      read_vop3(name, words, i);
      break;
    case Format::vop3p:
      read_vop3p(words, i);
      break;
    case Format::mai:
      read_mai(name, words, i);
      break;
    case Format::ds:
      read_ds(words, i);
      break;
    case Format::flat:
      read_flat(arch, words, i);
      break;
    case Format::mubuf:
    case Format::mtbuf:
      read_buffer(i.format, words, i);
      break;
    default:
      break;
  }
  const bool scalar_or_vop12 = i.format <= Format::vopc && i.format != Format::smem;
  if (scalar_or_vop12 && size == 8 && (i.src[0] == kLiteral || i.src[1] == kLiteral))
    i.literal = words[1];
  read_trailing_constant(name, words, i);
  if (accumulates_into_destination(name)) i.src[2] = i.dst;
  const unsigned default_op_sel_hi = i.format == Format::vop3p ? 7 : 0;
  i.modified = i.form != Form::plain || i.neg || i.abs || i.op_sel || i.omod || i.clamp ||
               i.op_sel_hi != default_op_sel_hi;
}

}  // namespace geak::emulator
