// geak check: watches what kernels do to memory, instruction by instruction.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "emulator/check/check_settings.h"
#include "emulator/check/findings.h"
#include "emulator/check/group_state.h"
#include "emulator/check/memory_access.h"
#include "emulator/check/memory_regions.h"
#include "emulator/check/program_memory.h"
#include "emulator/check/race_cell.h"
#include "emulator/check/wait_states.h"
#include "emulator/isa/disassembler.h"
#include "emulator/isa/program.h"
#include "emulator/wave/monitor.h"

namespace geak::emulator::check {

// What the checks want to know of an instruction beside its access to memory.
enum class Role : std::uint8_t {
  plain,    // registers to registers
  control,  // branches, waits, messages: touches no registers that matter here
  branch,
  call,
  jump,  // to an address in a register: perhaps a return
  barrier,
  acquire,            // makes the wave see what others did
  acquire_if_fenced,  // the same, in kernels that use fences
  // ordercheck:
  sync_read,  // a volatile or atomic load that orders nothing by itself
  wait        // until all that the wave has under way in memory is done
};

// Of each instruction of a program, once.
struct ProgramForms {
  std::vector<AccessForm> access;
  std::vector<Role> role;
  std::vector<HazardForm> hazards;             // when they are watched
  std::vector<std::vector<RegisterUse>> uses;  // filled when asked for
  std::vector<bool> has_uses;
};

// A wave of a dispatch, by the number that race records name it with.
struct WaveNumber {
  const Launch* launch = nullptr;
  std::uint64_t group = 0;
  std::array<std::uint32_t, 3> workgroup{};
  std::uint32_t index = 0;  // in the workgroup
  // ordercheck: what it did before this is done, as others may know.
  std::uint64_t published = 0;
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
  // What the program does by the HIP API (free_check.cpp): after it allocated, before it frees.
  // False: the call is a fault that was reported, and must not be done.
  void program_allocated(const char* function, Family family, std::uint64_t begin,
                         std::uint64_t bytes);
  bool program_frees(const char* function, Family family, std::uint64_t address);
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
  ProgramForms& forms_of(const Program& program);
  static GroupChecks& group_of(const WaveSlot& wave);
  static WaveChecks& checks_of(const WaveSlot& wave);
  static bool is_quiet(const WaveSlot& wave);
  // Volatile and atomic loads are made to race.
  bool is_meant_to_race(const Instruction& instruction, const Access& access, Role role) const;

  void begin_wave(Workgroup& group, unsigned index);

  // checker.cpp: one instruction each.
  const Instruction* step(WaveSlot& wave, const Instruction* instruction, const AccessForm& form,
                          Role role);
  const Instruction* step_access(WaveSlot& wave, const Instruction* instruction,
                                 const AccessForm& form, Role role);
  const Instruction* execute_without(WaveSlot& wave, const Instruction* instruction,
                                     const Accesses& accesses, std::uint64_t bad);

  static void follow_calls(WaveSlot& wave, const Instruction& instruction, Role role,
                           const Instruction* next);

  // memcheck.cpp: each returns the lanes whose access is faulty.
  std::uint64_t check_bounds(WaveSlot& wave, const Instruction& instruction, const Access& access);
  std::uint64_t check_global(WaveSlot& wave, const Instruction& instruction, const Access& access);
  std::uint64_t check_segment(WaveSlot& wave, const Instruction& instruction, const Access& access,
                              std::uint64_t limit);
  std::uint64_t check_alignment(WaveSlot& wave, const Instruction& instruction,
                                const Access& access);
  void report_bounds(WaveSlot& wave, const Instruction& instruction, const Access& access,
                     unsigned lane, Region* region);

  // free_check.cpp
  void report_leaks();
  void report_bad_free(const char* function, std::uint64_t address, ProgramMemory::State state,
                       const ProgramAllocation* allocation);
  void report_free(const char* kind, std::string message, std::uint64_t address,
                   const Region* region);

  // initcheck.cpp: from memory to registers and back.
  void track_values(WaveSlot& wave, const Instruction& instruction, const AccessForm& form,
                    const Access& access);
  void track_load(WaveSlot& wave, const Instruction& instruction, const AccessForm& form,
                  const Access& access);
  void track_store(WaveSlot& wave, const Instruction& instruction, const AccessForm& form,
                   const Access& access);
  void track_atomic(WaveSlot& wave, const Instruction& instruction, const AccessForm& form,
                    const Access& access);
  std::uint16_t new_origin(WaveSlot& wave, const Instruction& instruction, const Access& access,
                           unsigned lane);
  static std::unordered_map<std::uint64_t, Origin>* moved_origins(WaveSlot& wave, Space space);
  void report_use(WaveSlot& wave, const Instruction& instruction, std::uint16_t origin,
                  unsigned lane, const char* how);
  static void set_scalar_shadow(RegisterShadow& registers, unsigned code, std::uint32_t bits,
                                std::uint16_t origin);
  static void drop_clean_rows(RegisterShadow& registers, unsigned row, unsigned count);

  // value_flow.cpp: from registers to registers.
  const std::vector<RegisterUse>& uses_of(const Program& program, const Instruction& instruction);
  void follow_values(WaveSlot& wave, const Instruction& instruction);
  bool tainted_source(const WaveSlot& wave, std::span<const RegisterUse> uses,
                      std::uint16_t& origin);
  void clear_results(WaveSlot& wave, std::span<const RegisterUse> uses);
  void fill_sources(WaveSlot& wave, std::span<const RegisterUse> uses, std::uint32_t pattern);
  void check_branch(WaveSlot& wave, const Instruction& instruction);
  void check_address(WaveSlot& wave, const Instruction& instruction, const Accesses& accesses);

  // racecheck.cpp
  struct RaceAccess {
    WaveSlot& wave;
    const Instruction& instruction;
    const AccessForm& form;
    const Access& access;
    unsigned lane;
    RaceRecord record;
  };
  void check_races(WaveSlot& wave, const Instruction& instruction, const AccessForm& form,
                   const Access& access);
  RaceCell* race_cells(WaveSlot& wave, const Access& access, unsigned lane);
  bool is_ordered(const RaceRecord& record, const WaveSlot& wave);
  void race_read(const RaceAccess& now, RaceCell& cell);
  void race_write(const RaceAccess& now, RaceCell& cell, bool silent);
  void remember_read(const WaveSlot& wave, RaceCell& cell, const RaceRecord& record);
  void check_lanes(const RaceAccess& now, const RaceRecord& other);
  Finding race_finding(const RaceAccess& now, const RaceRecord& other, const char* how);
  void report_race(const RaceAccess& now, const RaceRecord& other, const char* how);
  void defer_race(const RaceAccess& now, const RaceRecord& other);
  void settle_race(const RaceAccess& now);
  void report_deferred(WaveSlot& wave);
  void acquire(WaveSlot& wave);

  // ordercheck.cpp
  void find_spin_loads(const Program& program, ProgramForms& forms);
  void order_after(WaveSlot& wave, const Instruction& instruction, const AccessForm& form,
                   Role role);
  void acquire_at(WaveSlot& wave, std::uint64_t time);
  void publish(WaveSlot& wave);
  const WaveNumber* wave_number(std::uint32_t number) const;

  // hazardcheck.cpp
  void check_hazards(WaveSlot& wave, const Instruction& instruction, const AccessForm& form,
                     const HazardForm& hazards);
  void check_pending(WaveSlot& wave, const Instruction& instruction, const AccessForm& form,
                     const RegisterUse& use, unsigned reg);
  void check_wait_states(WaveSlot& wave, const Instruction& instruction, const HazardForm& hazards,
                         const RegisterUse& use, unsigned reg);
  void check_other_waits(WaveSlot& wave, const Instruction& instruction, const HazardForm& hazards);
  void require_wait(WaveSlot& wave, const Instruction& instruction, std::optional<unsigned> reg,
                    const char* what, const Instruction& other, std::uint64_t other_at,
                    unsigned needed);
  void issue(WaveSlot& wave, const Instruction& instruction, const AccessForm& form,
             const HazardForm& hazards, std::span<const RegisterUse> uses);
  void remember_late_reads(WaveSlot& wave, const Instruction& instruction,
                           const HazardForm& hazards, std::span<const RegisterUse> uses);
  template <typename Visit>
  static void for_registers(const WaveSlot& wave, const RegisterUse& use, Visit&& visit);
  static std::string register_name(unsigned reg);

  // register_limits.cpp
  void check_allocated(WaveSlot& wave, const Instruction& instruction, const RegisterUse& use);

  // synccheck.cpp
  void check_barrier(WaveSlot& wave, const Instruction& instruction);
  void check_meeting(Workgroup& group);
  void report_different(WaveSlot& one, WaveSlot& other);

  static Place place_of(const WaveSlot& wave, const Instruction& instruction, unsigned lane);
  static Place place_in(const Launch& launch, const std::array<std::uint32_t, 3>& workgroup,
                        std::uint32_t wave, unsigned lane, std::uint64_t code_address);
  void report(WaveSlot& wave, const Instruction& instruction, Finding finding, unsigned lane);
  // Counts an occurrence; true when its details are wanted.
  bool wanted(const WaveSlot& wave, const Instruction& instruction, const char* kind);
  void note(const std::string& text);
  void write_output();

  const CheckSettings settings_;
  std::recursive_mutex mutex_;
  MemoryRegions regions_;
  ProgramMemory program_memory_;
  FindingLog log_;
  std::unordered_map<const Program*, std::unique_ptr<ProgramForms>> forms_;
  std::set<std::shared_ptr<const LoadedCode>> code_;
  std::vector<std::string> notes_;
  std::unique_ptr<Disassembler> disassemblers_[2];  // gfx90a, gfx942
  std::uint64_t dispatches_ = 0;
  unsigned running_ = 0;    // dispatches
  std::uint64_t time_ = 0;  // counts what racecheck orders: accesses, barriers, acquisitions
  std::uint64_t groups_ = 0;
  std::unordered_map<const Launch*, std::uint64_t> begins_;  // time at which a dispatch began
  std::vector<WaveNumber> wave_numbers_;  // of the dispatches that run; the first has number 1
};

}  // namespace geak::emulator::check
