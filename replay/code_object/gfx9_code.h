// Machine code of gfx9 (gfx90a, gfx942) as far as judging needs it: where instructions begin, and
// which of them look at more than a kernel's arguments. Without LLVM: geak-replay and geak-worker
// have none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>

namespace geak::replay {

// Bytes of the instruction whose first word this is ("CDNA2 ISA", 13: Microcode Formats).
unsigned instruction_bytes(std::uint32_t word);

// An instruction that reaches clocks, hardware registers, the host, traps or memory outside of the
// device's address space: its name as an assembler spells it, with the hardware register where
// there is one. Empty for any other. `code` begins with it.
std::string special_instruction(std::span<const std::byte> code);

// Those of a function.
std::set<std::string> special_instructions(std::span<const std::byte> function);

// What a kernel's descriptor (64 bytes) asks to be told beside its arguments: bits of
// kernel_code_properties (AMDGPUUsage, "Kernel Descriptor").
struct KernelProperties {
  bool dispatch_ptr = false, queue_ptr = false, dispatch_id = false;
  unsigned dispatch_register =
      0;  // first of the two scalar registers that hold the packet's address
};
KernelProperties kernel_properties(std::span<const std::byte> descriptor);

// Whether the kernel's code loads more of its dispatch packet than the sizes of its launch, as far
// as that shows where the packet's address is still in its registers.
bool reads_beyond_sizes(std::span<const std::byte> kernel, const KernelProperties& properties);

}  // namespace geak::replay
