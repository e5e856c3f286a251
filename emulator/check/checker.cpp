#include "emulator/check/checker.h"

#include <algorithm>
#include <cstdio>
#include <exception>

#include "emulator/isa/interpreter.h"
#include "emulator/wave/launch.h"

namespace geak::emulator::check {
namespace {

// The HIP runtime's own kernels copy and fill; they stay in bounds by the program's own calls.
bool is_runtime_kernel(const std::string& name) { return name.starts_with("__amd_rocclr_"); }

}  // namespace

Checker::Checker(const CheckSettings& settings) : settings_(settings) { write_output(); }
Checker::~Checker() = default;

void Checker::allocated(Region::Kind kind, std::uint64_t begin, std::uint64_t bytes,
                        std::uint64_t zone_begin, std::uint64_t zone_end) {
  const std::lock_guard lock(mutex_);
  const bool track = settings_.initcheck && kind == Region::Kind::device;
  regions_.add(kind, begin, bytes, zone_begin, zone_end, track).allocated_by = host_calls();
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

const ProgramForms& Checker::forms_of(const Program& program) {
  auto& forms = forms_[&program];
  if (!forms) {
    forms = std::make_unique<ProgramForms>();
    for (const Instruction& instruction : program.instructions())
      forms->access.push_back(access_form(instruction));
  }
  return *forms;
}

void Checker::begin_dispatch(Launch& launch) {
  const std::lock_guard lock(mutex_);
  ++dispatches_;
  // Kept for ever, so that no other code gets the address of these programs.
  code_.insert(launch.dispatch.code);
}

void Checker::begin_workgroup(Workgroup&) {}
void Checker::pass_barrier(Workgroup&) {}
void Checker::end_workgroup(Workgroup&) {}

void Checker::end_dispatch(Launch&) {
  const std::lock_guard lock(mutex_);
  if (log_.changed()) write_output();
}

void Checker::finish() {
  const std::lock_guard lock(mutex_);
  if (settings_.leakcheck) report_leaks();
  write_output();
}

void Checker::run(WaveSlot& wave, std::int64_t quantum) {
  const std::lock_guard lock(mutex_);
  wave.state = WaveState::running;
  wave.quantum = quantum;
  wave.mode_changed = false;
  const bool quiet = is_runtime_kernel(wave.workgroup->launch->dispatch.kernel_name);
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
      instruction = quiet || forms->access[index].kind == AccessForm::Kind::none
                        ? execute_one(wave, instruction)
                        : step(wave, instruction, *forms, index);
    }
    if (!wave.mode_changed || wave.state != WaveState::running) return;
    wave.mode_changed = false;
    instruction = wave.pc;
  }
}

const Instruction* Checker::step(WaveSlot& wave, const Instruction* instruction,
                                 const ProgramForms& forms, std::size_t index) {
  Accesses accesses;
  find_accesses(wave, *instruction, forms.access[index], accesses);
  std::uint64_t bad = 0;
  for (unsigned n = 0; n < accesses.count; ++n)
    bad |= check_bounds(wave, *instruction, accesses.each[n]);
  if (bad) return execute_without(wave, instruction, accesses, bad);
  return execute_one(wave, instruction);
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
                     wave.program->address_of(instruction));
}

Place Checker::place_of(const WaveSlot& wave, const Instruction& instruction, unsigned lane) const {
  const KernelDispatch& dispatch = wave.workgroup->launch->dispatch;
  Place place;
  place.code_address = wave.program->address_of(instruction);
  place.wave = wave.index_in_workgroup;
  place.lane = lane;
  std::uint32_t item = wave.index_in_workgroup * kLanes + lane;
  for (unsigned n = 0; n < 3; ++n) {
    const std::uint32_t id = wave.workgroup->id[n];
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
