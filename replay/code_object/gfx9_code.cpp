#include "replay/code_object/gfx9_code.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace geak::replay {
namespace {

constexpr std::uint32_t bits(std::uint32_t word, unsigned high, unsigned low) {
  return word >> low & ((1u << (high - low + 1)) - 1);
}

constexpr std::uint32_t kLiteral = 0xff, kSdwa = 0xf9, kDpp = 0xfa;

enum class Encoding { sop1, sop2, sopc, sopk, sopp, vop1, vop2, vopc, vintrp, smem, ds, other };

Encoding encoding_of(std::uint32_t word) {
  switch (bits(word, 31, 23)) {
    case 0b101111101:
      return Encoding::sop1;
    case 0b101111110:
      return Encoding::sopc;
    case 0b101111111:
      return Encoding::sopp;
  }
  if (bits(word, 31, 28) == 0b1011) return Encoding::sopk;
  if (bits(word, 31, 30) == 0b10) return Encoding::sop2;
  if (bits(word, 31, 25) == 0b0111111) return Encoding::vop1;
  if (bits(word, 31, 25) == 0b0111110) return Encoding::vopc;
  if (bits(word, 31, 31) == 0) return Encoding::vop2;
  if (bits(word, 31, 26) == 0b110101) return Encoding::vintrp;
  if (bits(word, 31, 26) == 0b110000) return Encoding::smem;
  if (bits(word, 31, 26) == 0b110110) return Encoding::ds;
  return Encoding::other;  // two words each
}

std::uint32_t word_at(std::span<const std::byte> code, std::size_t at) {
  std::uint32_t word = 0;
  if (at + 4 <= code.size()) std::memcpy(&word, code.data() + at, 4);
  return word;
}

// Of the MODE register, the directions of rounding and what becomes of denormals: numbers alone
// depend on them, and those are compared.
constexpr unsigned kModeRegister = 1, kModeBits = 8;
// The apertures of LDS and scratch, with which older compilers make flat addresses.
constexpr unsigned kApertures = 15;

std::string hardware_register(const char* name, std::uint32_t word) {
  const auto id = bits(word, 5, 0), first = bits(word, 10, 6), count = bits(word, 15, 11) + 1;
  if (id == kModeRegister && first + count <= kModeBits) return "";
  if (id == kApertures) return "";
  static constexpr std::array<const char*, 8> kNames = {
      "0", "MODE", "STATUS", "TRAPSTS", "HW_ID", "GPR_ALLOC", "LDS_ALLOC", "IB_STS"};
  const std::string which =
      id < kNames.size() ? std::string("HW_REG_") + kNames[id] : std::to_string(id);
  return std::string(name) + " hwreg(" + which + ")";
}

std::string special_sopk(std::uint32_t word) {
  switch (bits(word, 27, 23)) {
    case 17:
      return hardware_register("s_getreg_b32", word);
    case 18:
      return hardware_register("s_setreg_b32", word);
    case 20:
      return hardware_register("s_setreg_imm32_b32", word);
  }
  return "";
}

// What is not among these is special: branches, waits, barriers, sleeping, priorities and indexing.
std::string special_sopp(std::uint32_t word) {
  const auto operation = bits(word, 22, 16);
  if (operation <= 2 || (operation >= 4 && operation <= 10)) return "";
  switch (operation) {
    case 12:
    case 14:
    case 15:
    case 28:
    case 29:
      return "";
    case 13:
      return "s_sethalt";
    case 16:
      return "s_sendmsg";
    case 17:
      return "s_sendmsghalt";
    case 18:
      return "s_trap";
  }
  return "the SOPP instruction " + std::to_string(operation);
}

// Loads, stores and atomics are memory's; so are the cache's.
std::string special_smem(std::uint32_t word) {
  switch (bits(word, 25, 18)) {
    case 36:
      return "s_memtime";
    case 37:
      return "s_memrealtime";
    case 38:
    case 39:
      return "s_atc_probe";
  }
  return "";
}

// The global data share keeps what it holds from launch to launch.
std::string special_ds(std::uint32_t word) {
  return bits(word, 16, 16)
             ? "the global data share (DS instruction " + std::to_string(bits(word, 24, 17)) + ")"
             : "";
}

template <typename Visit>
void for_instructions(std::span<const std::byte> function, Visit&& visit) {
  for (std::size_t at = 0; at + 4 <= function.size();) {
    visit(function.subspan(at));
    at += instruction_bytes(word_at(function, at));
  }
}

}  // namespace

unsigned instruction_bytes(std::uint32_t word) {
  const auto low = bits(word, 7, 0), second = bits(word, 15, 8), vector = bits(word, 8, 0);
  const auto operand = [](std::uint32_t source) {
    return source == kLiteral || source == kSdwa || source == kDpp;
  };
  switch (encoding_of(word)) {
    case Encoding::sop1:
      return low == kLiteral ? 8 : 4;
    case Encoding::sop2:
    case Encoding::sopc:
      return low == kLiteral || second == kLiteral ? 8 : 4;
    case Encoding::sopk:
      return bits(word, 27, 23) == 20 ? 8 : 4;  // s_setreg_imm32_b32
    case Encoding::sopp:
    case Encoding::vintrp:
      return 4;
    case Encoding::vop1:
    case Encoding::vopc:
      return operand(vector) ? 8 : 4;
    case Encoding::vop2: {
      // v_madmk and v_madak, or v_fmamk and v_fmaak, for float and half: a constant follows.
      const auto operation = bits(word, 30, 25);
      const bool constant =
          operation == 23 || operation == 24 || operation == 36 || operation == 37;
      return constant || operand(vector) ? 8 : 4;
    }
    case Encoding::smem:
    case Encoding::ds:
    case Encoding::other:
      return 8;
  }
  return 8;
}

std::string special_instruction(std::span<const std::byte> code) {
  const auto word = word_at(code, 0);
  switch (encoding_of(word)) {
    case Encoding::sopk:
      return special_sopk(word);
    case Encoding::sopp:
      return special_sopp(word);
    case Encoding::smem:
      return special_smem(word);
    case Encoding::ds:
      return special_ds(word);
    case Encoding::sop1:
      return bits(word, 15, 8) == 31 ? "s_rfe_b64" : "";
    default:
      return "";
  }
}

std::set<std::string> special_instructions(std::span<const std::byte> function) {
  std::set<std::string> found;
  for_instructions(function, [&](std::span<const std::byte> code) {
    auto name = special_instruction(code);
    if (!name.empty()) found.insert(std::move(name));
  });
  return found;
}

KernelProperties kernel_properties(std::span<const std::byte> descriptor) {
  constexpr std::size_t kOffset = 56;
  KernelProperties properties;
  const auto asked = word_at(descriptor, kOffset) & 0xffff;
  const bool scratch_buffer = asked & 1;  // four registers before the packet's address
  properties.dispatch_ptr = asked & 2;
  properties.queue_ptr = asked & 4;
  properties.dispatch_id = asked & 16;
  properties.dispatch_register = scratch_buffer ? 4 : 0;
  return properties;
}

bool reads_beyond_sizes(std::span<const std::byte> kernel, const KernelProperties& properties) {
  if (!properties.dispatch_ptr) return false;
  // setup, workgroup and grid sizes, and those of its segments (hsa_kernel_dispatch_packet_t).
  constexpr std::uint32_t kSizesEnd = 32;
  bool holds = true, beyond = false;
  for_instructions(kernel, [&](std::span<const std::byte> code) {
    const auto word = word_at(code, 0);
    const auto encoding = encoding_of(word);
    const auto written = encoding == Encoding::smem ? bits(word, 12, 6) : bits(word, 22, 16);
    if (holds && encoding == Encoding::smem && bits(word, 25, 18) <= 4 &&
        bits(word, 5, 0) * 2 == properties.dispatch_register) {
      const auto bytes = 4u << bits(word, 25, 18);
      const bool immediate = bits(word, 17, 17) && !bits(word, 14, 14);
      beyond |= !immediate || bits(word_at(code, 4), 20, 0) + bytes > kSizesEnd;
    }
    const bool scalar = encoding == Encoding::sop1 || encoding == Encoding::sop2 ||
                        encoding == Encoding::smem || encoding == Encoding::sopk;
    const auto registers =
        encoding == Encoding::smem ? 1u << std::min(bits(word, 25, 18) % 8, 4u) : 2u;
    if (scalar && written <= properties.dispatch_register + 1 &&
        written + registers > properties.dispatch_register) {
      holds = false;
    }
  });
  return beyond;
}

}  // namespace geak::replay
