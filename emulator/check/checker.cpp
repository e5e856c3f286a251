#include "emulator/check/checker.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <exception>

#include "emulator/isa/interpreter.h"
#include "emulator/isa/operation.h"
#include "emulator/wave/launch.h"

namespace geak::emulator::check {
namespace {

// The HIP runtime's own kernels copy and fill; they stay in bounds by the program's own calls.
bool is_runtime_kernel(const std::string& name) { return name.starts_with("__amd_rocclr_"); }

// What memory holds that nobody wrote.
constexpr int kUnwrittenByte = 0xcb;

bool is_fence(std::string_view name) {
  return name.starts_with("buffer_wbinvl1") || name == "buffer_inv" || name == "s_dcache_inv";
}

Role role_of_access(const Instruction& instruction, const AccessForm& form, bool ordercheck) {
  const std::string_view name = instruction.operation->mnemonic;
  if (form.direction == Direction::read) {
    if (!(instruction.memory & kGlc) || name.starts_with("ds_")) return Role::plain;
    return ordercheck ? Role::sync_read : Role::acquire;
  }
  if (form.direction != Direction::atomic || !form.returns) return Role::plain;
  const bool exchange = form.ignores_old_value || name.find("cmp") != std::string_view::npos;
  return exchange ? Role::acquire : Role::acquire_if_fenced;
}

// The barrier of all waves of a launch.
bool is_meeting(const Instruction& instruction) {
  return instruction.operation && instruction.operation->mnemonic.starts_with("ds_gws_");
}

// s_waitcnt vmcnt(0).
bool waits_for_memory(const Instruction& instruction) {
  const auto bits = static_cast<std::uint32_t>(instruction.imm);
  return (bits & 15) == 0 && (bits >> 14 & 3) == 0;
}

Role role_of(const Instruction& instruction, const AccessForm& form, bool ordercheck) {
  if (instruction.operation == nullptr) return Role::control;
  if (form.kind != AccessForm::Kind::none) return role_of_access(instruction, form, ordercheck);
  const std::string_view name = instruction.operation->mnemonic;
  if (ordercheck && name == "s_waitcnt" && waits_for_memory(instruction)) return Role::wait;
  if (name == "s_barrier") return Role::barrier;
  if (name == "s_swappc_b64" || name == "s_call_b64") return Role::call;
  if (name == "s_setpc_b64") return Role::jump;
  if (is_fence(name) || is_meeting(instruction)) return Role::acquire;
  if (name.starts_with("s_cbranch_scc") || name.starts_with("s_cbranch_vcc")) return Role::branch;
  switch (instruction.counter) {
    case InstructionClass::branch:
    case InstructionClass::synchronization:
    case InstructionClass::other:
      return Role::control;
    default:
      return Role::plain;
  }
}

}  // namespace

Checker::Checker(const CheckSettings& settings) : settings_(settings) { write_output(); }
Checker::~Checker() = default;

void Checker::allocated(Region::Kind kind, std::uint64_t begin, std::uint64_t bytes,
                        std::uint64_t zone_begin, std::uint64_t zone_end) {
  const std::lock_guard lock(mutex_);
  const bool wanted = settings_.initcheck && kind == Region::Kind::device;
  const bool track = wanted && bytes <= MemoryRegions::kMostTracked;
  if (wanted && !track)
    note("initcheck: an allocation of " + std::to_string(bytes) +
         " bytes is too large to be watched");
  Region& region = regions_.add(kind, begin, bytes, zone_begin, zone_end, track);
  region.allocated_by = host_calls();
  if (track) MemoryRegions::fill(region);
}

void Checker::freed(std::uint64_t begin) {
  const std::lock_guard lock(mutex_);
  if (Region* region = regions_.mark_freed(begin)) region->freed_by = host_calls();
}

void Checker::unmapped(std::uint64_t begin) {
  const std::lock_guard lock(mutex_);
  regions_.forget(begin);
}

void Checker::host_wrote(const void* address, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  regions_.set_written(reinterpret_cast<std::uint64_t>(address), bytes);
}

void Checker::host_copied(const void* to, const void* from, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  regions_.copy_written(reinterpret_cast<std::uint64_t>(to), reinterpret_cast<std::uint64_t>(from),
                        bytes);
}

GroupChecks& Checker::group_of(const WaveSlot& wave) {
  return static_cast<GroupChecks&>(*wave.workgroup->monitored);
}

WaveChecks& Checker::checks_of(const WaveSlot& wave) {
  return group_of(wave).waves[wave.index_in_workgroup];
}

bool Checker::is_quiet(const WaveSlot& wave) { return group_of(wave).quiet; }

ProgramForms& Checker::forms_of(const Program& program) {
  auto& forms = forms_[&program];
  if (!forms) {
    forms = std::make_unique<ProgramForms>();
    for (const Instruction& instruction : program.instructions()) {
      forms->access.push_back(access_form(instruction));
      forms->role.push_back(role_of(instruction, forms->access.back(), settings_.ordercheck));
      if (settings_.hazardcheck) forms->hazards.push_back(hazard_form(program.arch(), instruction));
    }
    if (settings_.ordercheck) find_spin_loads(program, *forms);
  }
  return *forms;
}

void Checker::begin_dispatch(Launch& launch) {
  const std::lock_guard lock(mutex_);
  ++dispatches_;
  // Kept for ever, so that no other code gets the address of these programs.
  code_.insert(launch.dispatch.code);
  if (running_++ == 0) wave_numbers_.clear();
  begins_[&launch] = ++time_;
}

void Checker::begin_workgroup(Workgroup& group) {
  const std::lock_guard lock(mutex_);
  if (!group.monitored) group.monitored = std::make_unique<GroupChecks>();
  auto& checks = static_cast<GroupChecks&>(*group.monitored);
  const std::uint32_t lds_bytes = group.launch->dispatch.group_segment_bytes;
  checks.quiet = is_runtime_kernel(group.launch->dispatch.kernel_name);
  checks.number = ++groups_;
  checks.dispatch_begin = begins_[group.launch];
  checks.barrier_time = checks.acquire_time = 0;
  checks.lds_origins.clear();
  checks.waves.resize(std::max<std::size_t>(checks.waves.size(), group.waves));
  if (settings_.initcheck) checks.lds.assign(lds_bytes, 0);
  if (settings_.races()) {
    checks.lds_cells.assign(lds_bytes / 4 + 2, RaceCell{});
    // What an earlier workgroup left would make its stores look as if they changed nothing.
    if (lds_bytes) std::memset(group.lds.data(), kUnwrittenByte, lds_bytes);
  }
  for (unsigned n = 0; n < group.waves; ++n) begin_wave(group, n);
}

void Checker::begin_wave(Workgroup& group, unsigned index) {
  const WaveSlot& wave = *group.slots[index];
  WaveChecks& checks = static_cast<GroupChecks&>(*group.monitored).waves[index];
  checks.registers.reset();
  checks.initial_exec = wave.exec();
  checks.acquire_time = 0;
  checks.fenced = false;
  checks.barrier = nullptr;
  checks.deferred.clear();
  checks.callers.clear();
  checks.scratch_origins.clear();
  checks.hazards = {};
  if (settings_.hazardcheck) checks.hazards.registers.resize(HazardState::kScalars + kVectorRows);
  if (settings_.initcheck) checks.scratch.assign(wave.scratch_bytes, 0);
  checks.sync_read = checks.waited = checks.barrier_waited = checks.waited_at_barrier = 0;
  checks.published = checks.published_barrier = 0;
  if (!settings_.races()) return;
  wave_numbers_.push_back(
      {group.launch, group_of(wave).number, {group.id[0], group.id[1], group.id[2]}, index, 0});
  const bool fits = wave_numbers_.size() < RaceRecord::kMostWaves;
  if (!fits) note("racecheck: a launch has more waves than can be watched");
  checks.number = fits ? static_cast<std::uint32_t>(wave_numbers_.size()) : 0;
}

void Checker::pass_barrier(Workgroup& group) {
  const std::lock_guard lock(mutex_);
  auto& checks = static_cast<GroupChecks&>(*group.monitored);
  checks.barrier_time = ++time_;
  if (settings_.synccheck && !checks.quiet) check_meeting(group);
  for (unsigned n = 0; n < group.waves; ++n) {
    checks.waves[n].waited_at_barrier = checks.waves[n].waited;
    report_deferred(*group.slots[n]);
  }
}

void Checker::end_workgroup(Workgroup& group) {
  const std::lock_guard lock(mutex_);
  for (unsigned n = 0; n < group.waves; ++n) report_deferred(*group.slots[n]);
}

void Checker::end_dispatch(Launch& launch) {
  const std::lock_guard lock(mutex_);
  --running_;
  begins_.erase(&launch);
  if (log_.changed()) write_output();
}

void Checker::finish() {
  const std::lock_guard lock(mutex_);
  if (settings_.leakcheck) report_leaks();
  write_output();
}

const WaveNumber* Checker::wave_number(std::uint32_t number) const {
  return number == 0 || number > wave_numbers_.size() ? nullptr : &wave_numbers_[number - 1];
}

void Checker::run(WaveSlot& wave, std::int64_t quantum) {
  const std::lock_guard lock(mutex_);
  wave.state = WaveState::running;
  wave.quantum = quantum;
  wave.mode_changed = false;
  const RegisterShadow& registers = checks_of(wave).registers;
  const bool hazards = settings_.hazardcheck && !is_quiet(wave);
  const Program* program = nullptr;
  const ProgramForms* forms = nullptr;
  const Instruction* instruction = wave.pc;
  for (;;) {
    while (instruction != nullptr) {
      if (wave.program != program) {
        program = wave.program;
        forms = &forms_of(*program);
      }
      const auto index = static_cast<std::size_t>(instruction - program->instructions().data());
      const AccessForm& form = forms->access[index];
      const Role role = forms->role[index];
      if (hazards) check_hazards(wave, *instruction, form, forms->hazards[index]);
      const bool simple = form.kind == AccessForm::Kind::none && role <= Role::control;
      if (simple && (role == Role::control || !registers.any())) [[likely]]
        instruction = execute_one(wave, instruction);
      else
        instruction = step(wave, instruction, form, role);
    }
    if (!wave.mode_changed || wave.state != WaveState::running) return;
    wave.mode_changed = false;
    instruction = wave.pc;
  }
}

const Instruction* Checker::step(WaveSlot& wave, const Instruction* instruction,
                                 const AccessForm& form, Role role) {
  WaveChecks& checks = checks_of(wave);
  if (form.kind == AccessForm::Kind::none && checks.registers.any()) {
    if (role == Role::plain) follow_values(wave, *instruction);
    if (role == Role::branch) check_branch(wave, *instruction);
  }
  if (role == Role::barrier && settings_.synccheck && !is_quiet(wave))
    check_barrier(wave, *instruction);
  const Instruction* next = form.kind == AccessForm::Kind::none
                                ? execute_one(wave, instruction)
                                : step_access(wave, instruction, form, role);
  if (role == Role::call || role == Role::jump) follow_calls(wave, *instruction, role, next);
  if (role == Role::acquire && form.kind == AccessForm::Kind::none) checks.fenced = true;
  if (settings_.ordercheck && is_meeting(*instruction)) publish(wave);
  if (wave.state == WaveState::waiting) return next;
  if (settings_.ordercheck) {
    order_after(wave, *instruction, form, role);
    return next;
  }
  if (role == Role::acquire || (role == Role::acquire_if_fenced && checks.fenced)) acquire(wave);
  return next;
}

// The functions that a wave is in. A jump to where one returns to leaves it, and those it called.
void Checker::follow_calls(WaveSlot& wave, const Instruction& instruction, Role role,
                           const Instruction* next) {
  auto& callers = checks_of(wave).callers;
  if (!next) next = wave.pc;
  if (role == Role::call) {
    // The target may be in another program: the return address is the call's result.
    callers.insert(callers.begin(), wave.scalar64(instruction.dst));
    return;
  }
  if (!next || !wave.program->contains(next)) return;
  const auto found = std::find(callers.begin(), callers.end(), wave.program->address_of(*next));
  if (found != callers.end()) callers.erase(callers.begin(), found + 1);
}

const Instruction* Checker::step_access(WaveSlot& wave, const Instruction* instruction,
                                        const AccessForm& form, Role role) {
  Accesses accesses;
  find_accesses(wave, *instruction, form, accesses);
  const bool quiet = is_quiet(wave);
  if (settings_.initcheck && checks_of(wave).registers.any())
    check_address(wave, *instruction, accesses);
  std::uint64_t bad = 0;
  for (unsigned n = 0; n < accesses.count && !quiet; ++n)
    bad |= check_bounds(wave, *instruction, accesses.each[n]);
  for (unsigned n = 0; n < accesses.count; ++n) {
    Access& access = accesses.each[n];
    access.mask &= ~bad;
    if (settings_.races() && !quiet && access.space != Space::scratch &&
        !is_meant_to_race(*instruction, access, role))
      check_races(wave, *instruction, form, access);
    if (settings_.initcheck) track_values(wave, *instruction, form, access);
  }
  if (bad) return execute_without(wave, instruction, accesses, bad);
  return execute_one(wave, instruction);
}

bool Checker::is_meant_to_race(const Instruction& instruction, const Access& access,
                               Role role) const {
  if (access.direction != Direction::read || !(instruction.memory & kGlc)) return false;
  return !settings_.ordercheck || role != Role::sync_read;
}

// Faulty lanes read zeros and write nothing, so that the program goes on to its next fault.
const Instruction* Checker::execute_without(WaveSlot& wave, const Instruction* instruction,
                                            const Accesses& accesses, std::uint64_t bad) {
  for (unsigned n = 0; n < accesses.count; ++n) {
    const Access& access = accesses.each[n];
    if (access.result == kNoOperand) continue;
    const unsigned registers = (access.bytes + 3u) / 4;
    for (unsigned r = 0; r < registers; ++r) {
      if (access.scalar)
        wave.sgpr[access.result + r] = 0;
      else
        for_lanes(bad, [&](unsigned lane) { (&wave.row(access.result))[r][lane] = 0; });
    }
  }
  if (accesses.each[0].scalar) return instruction + 1;
  const std::uint64_t exec = wave.exec();
  wave.set_scalar64(kExec, exec & ~bad);
  const Instruction* next = execute_one(wave, instruction);
  wave.set_scalar64(kExec, exec);
  return next;
}

void Checker::note(const std::string& text) {
  if (std::find(notes_.begin(), notes_.end(), text) == notes_.end()) notes_.push_back(text);
}

void Checker::write_output() {
  if (settings_.output.empty()) return;
  try {
    log_.write(settings_.output, settings_.names(), dispatches_, notes_);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "geak emulator: error: %s\n", error.what());
  }
}

bool Checker::wanted(const WaveSlot& wave, const Instruction& instruction, const char* kind) {
  return log_.is_new(kind, wave.workgroup->launch->dispatch.kernel_name,
                     wave.program->address_of(instruction), checks_of(wave).callers);
}

Place Checker::place_of(const WaveSlot& wave, const Instruction& instruction, unsigned lane) {
  const std::uint32_t(&id)[3] = wave.workgroup->id;
  Place place = place_in(*wave.workgroup->launch, {id[0], id[1], id[2]}, wave.index_in_workgroup,
                         lane, wave.program->address_of(instruction));
  place.callers = checks_of(wave).callers;
  return place;
}

Place Checker::place_in(const Launch& launch, const std::array<std::uint32_t, 3>& workgroup,
                        std::uint32_t wave, unsigned lane, std::uint64_t code_address) {
  const KernelDispatch& dispatch = launch.dispatch;
  Place place;
  place.code_address = code_address;
  place.wave = wave;
  place.lane = lane;
  std::uint32_t item = wave * kLanes + lane;
  for (unsigned n = 0; n < 3; ++n) {
    const std::uint32_t id = workgroup[n];
    place.workgroup[n] = id;
    // The last workgroup of a dimension holds what is left of the grid.
    const std::uint32_t size =
        std::min(dispatch.workgroup[n], dispatch.grid[n] - id * dispatch.workgroup[n]);
    place.work_item[n] = n == 2 ? item : item % size;
    item /= size;
  }
  return place;
}

void Checker::report(WaveSlot& wave, const Instruction& instruction, Finding finding,
                     unsigned lane) {
  finding.place = place_of(wave, instruction, lane);
  const KernelDispatch& dispatch = wave.workgroup->launch->dispatch;
  log_.add(finding, dispatch.kernel_name, dispatch.code.get(), describe(wave, instruction));
}

}  // namespace geak::emulator::check
