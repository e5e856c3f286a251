// What a candidate's code object may not be, before anything runs.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "replay/archive/records.h"
#include "replay/code_object/kernel_metadata.h"
#include "support/launch_change.h"

namespace geak::replay {

struct Refusal {
  std::string reason;
  std::string attack;  // of the known ones, if it is one
  unsigned line = 0;   // of the text that was judged; 0: none in particular
};

struct CodeToJudge {
  std::span<const std::byte> code;  // ELF
  std::string kernel;               // device symbol
};

// Same architecture; same explicit arguments; no writable variable that the original's code object
// has not; registers and scratch within what the hardware runs. Throws std::runtime_error where one
// of the two is no code object or lacks its kernel.
std::optional<Refusal> check_code(const CodeToJudge& original, const CodeToJudge& candidate);

// The same for two cubins, whose kernels the driver described: same parameters, no variable that
// the original's cubin has not.
std::optional<Refusal> check_cubin(std::span<const std::byte> original,
                                   const KernelMetadata& original_kernel,
                                   std::span<const std::byte> candidate,
                                   const KernelMetadata& candidate_kernel);

// A launch of the candidate within its own attributes and the device's LDS.
std::optional<Refusal> check_launch(const KernelMetadata& candidate, const support::Launch& launch,
                                    std::uint32_t device_lds_bytes);

}  // namespace geak::replay
