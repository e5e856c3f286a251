// A range of machine code, decoded once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "emulator/isa/instruction.h"
#include "emulator/model/device.h"

namespace geak::emulator {

class Program {
 public:
  // Decodes `text`, which stays valid and unchanged, as loaded at `address` on the device.
  // `entries`: offsets of kernels and functions, at which decoding starts anew (data between them
  // does not derail it). Bytes that are no instruction become one that faults when executed.
  Program(Arch arch, std::span<const std::byte> text, std::uint64_t address,
          std::span<const std::uint32_t> entries = {});

  // The instruction that starts at a device address, or nullptr.
  const Instruction* at(std::uint64_t address) const;
  std::uint64_t address_of(const Instruction& instruction) const {
    return address_ + instruction.offset;
  }
  std::uint64_t address() const { return address_; }
  std::uint64_t bytes() const { return text_.size(); }
  std::span<const std::byte> text() const { return text_; }
  Arch arch() const { return arch_; }
  std::span<const Instruction> instructions() const { return instructions_; }
  bool contains(const Instruction* instruction) const {
    return !instructions_.empty() && instruction >= instructions_.data() &&
           instruction < instructions_.data() + instructions_.size();
  }

 private:
  void resolve_branches();

  Arch arch_;
  std::span<const std::byte> text_;
  std::uint64_t address_;
  std::vector<Instruction> instructions_;
  std::vector<std::int32_t> index_by_dword_;  // -1: no instruction starts there
};

}  // namespace geak::emulator
