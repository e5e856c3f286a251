// geak check: watches what kernels do to memory, instruction by instruction.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "emulator/check/check_settings.h"
#include "emulator/check/findings.h"
#include "emulator/check/memory_access.h"
#include "emulator/check/memory_regions.h"
#include "emulator/isa/program.h"
#include "emulator/wave/monitor.h"

namespace geak::emulator::check {

// Of each instruction of a program, once.
struct ProgramForms {
  std::vector<AccessForm> access;
};

// One for the process. Calls may come from any thread; waves run under its lock, one at a time.
class Checker : public Monitor {
 public:
  explicit Checker(const CheckSettings& settings);
  ~Checker() override;

  // What happens to memory outside of kernels.
  void allocated(Region::Kind kind, std::uint64_t begin, std::uint64_t bytes,
                 std::uint64_t zone_begin, std::uint64_t zone_end);
  void freed(std::uint64_t begin);
  void unmapped(std::uint64_t begin);
  void host_wrote(const void* address, std::uint64_t bytes);
  void host_copied(const void* to, const void* from, std::uint64_t bytes);
  // At the end of the program.
  void finish();

  // Bytes before and behind each allocation that belong to nobody.
  static constexpr std::uint64_t kRedZone = 64 << 10;
  // Freed memory that is kept unused, so that who still uses it is seen.
  static constexpr std::uint64_t kQuarantine = 1ull << 30;

  void begin_dispatch(Launch& launch) override;
  void begin_workgroup(Workgroup& group) override;
  void run(WaveSlot& wave, std::int64_t quantum) override;
  void pass_barrier(Workgroup& group) override;
  void end_workgroup(Workgroup& group) override;
  void end_dispatch(Launch& launch) override;

 private:
  const ProgramForms& forms_of(const Program& program);
  const Instruction* step(WaveSlot& wave, const Instruction* instruction, const ProgramForms& forms,
                          std::size_t index);
  const Instruction* execute_without(WaveSlot& wave, const Instruction* instruction,
                                     const Accesses& accesses, std::uint64_t bad);
  // Lanes whose access is faulty.
  std::uint64_t check_bounds(WaveSlot& wave, const Instruction& instruction, const Access& access);
  std::uint64_t check_global(WaveSlot& wave, const Instruction& instruction, const Access& access);
  std::uint64_t check_segment(WaveSlot& wave, const Instruction& instruction, const Access& access,
                              std::uint64_t limit);
  void report_bounds(WaveSlot& wave, const Instruction& instruction, const Access& access,
                     unsigned lane, Region* region);
  void report(WaveSlot& wave, const Instruction& instruction, Finding finding, unsigned lane);
  std::uint64_t check_alignment(WaveSlot& wave, const Instruction& instruction,
                                const Access& access);
  void report_leaks();
  Place place_of(const WaveSlot& wave, const Instruction& instruction, unsigned lane) const;
  bool wanted(const WaveSlot& wave, const Instruction& instruction, const char* kind);
  void write_output();

  const CheckSettings settings_;
  std::recursive_mutex mutex_;
  MemoryRegions regions_;
  FindingLog log_;
  std::unordered_map<const Program*, std::unique_ptr<ProgramForms>> forms_;
  std::set<std::shared_ptr<const LoadedCode>> code_;
  std::vector<std::string> notes_;
  std::uint64_t dispatches_ = 0;
};

}  // namespace geak::emulator::check
