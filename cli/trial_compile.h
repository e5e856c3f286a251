// One run of the compiler for `geak trial`, under limits: a source can make a compiler run, or
// grow, for ever.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "replay/gates/static_gates.h"

namespace geak::cli {

struct TrialCompiler {
  std::string program = "hipcc";
  std::vector<std::string> flags;
  std::string architecture;                 // "gfx90a"
  std::chrono::milliseconds time{120'000};  // for each file
  std::uint64_t memory_bytes = 4ull << 30;  // address space of each of its processes
};

// Names the file and what the compiler said, or which limit it reached.
struct CompileError : std::runtime_error {
  CompileError(const std::filesystem::path& file, const std::string& why,
               std::optional<replay::Refusal> refusal = {})
      : std::runtime_error(file.string() + " " + why), file(file), refusal(std::move(refusal)) {}
  std::filesystem::path file;
  // What it asks of the device and the device has not: a verdict on a candidate.
  std::optional<replay::Refusal> refusal;
};

// What the compiler prints. Throws CompileError where it does not compile, support's errors where
// there is no compiler.
std::string compile(const std::filesystem::path& file, const TrialCompiler& compiler,
                    const std::vector<std::string>& more);

}  // namespace geak::cli
