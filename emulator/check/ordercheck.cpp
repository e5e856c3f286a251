// ordercheck: racecheck for code that is not trusted to mean what it says. A volatile or atomic
// load is a read like any other, and orders nothing, unless a loop goes on until it reads what it
// waits for. A fence orders what others did before the wave last read something of that kind. And
// what others did is only known to be done where they waited for it (s_waitcnt vmcnt(0)) before
// they wrote anything that could tell.
#include <algorithm>

#include "emulator/check/checker.h"
#include "emulator/check/spin_loads.h"
#include "emulator/isa/operation.h"

namespace geak::emulator::check {
namespace {

bool seen_by_others(const AccessForm& form) {
  switch (form.kind) {
    case AccessForm::Kind::lds:
    case AccessForm::Kind::lds_pair:
    case AccessForm::Kind::lds_by_lane:
    case AccessForm::Kind::scratch:
      return false;
    default:
      return form.direction != Direction::read;
  }
}

}  // namespace

void Checker::find_spin_loads(const Program& program, ProgramForms& forms) {
  std::vector<std::size_t> loads;
  for (std::size_t n = 0; n < forms.role.size(); ++n) {
    if (forms.role[n] == Role::sync_read) loads.push_back(n);
  }
  const auto uses = [&](const Instruction& instruction) -> const std::vector<RegisterUse>& {
    return uses_of(program, instruction);
  };
  for (const auto load : spin_loads(program, loads, uses)) forms.role[load] = Role::acquire;
}

void Checker::order_after(WaveSlot& wave, const Instruction& instruction, const AccessForm& form,
                          Role role) {
  WaveChecks& checks = checks_of(wave);
  const bool accesses = form.kind != AccessForm::Kind::none;
  if (accesses && seen_by_others(form)) publish(wave);
  switch (role) {
    case Role::wait:
      checks.waited = ++time_;
      checks.barrier_waited = group_of(wave).barrier_time;
      break;
    case Role::sync_read:
      checks.sync_read = ++time_;
      break;
    case Role::acquire_if_fenced:
      checks.sync_read = ++time_;
      if (checks.fenced) acquire_at(wave, time_);
      break;
    case Role::acquire:
      if (!accesses && !instruction.operation->mnemonic.starts_with("ds_gws_")) {
        acquire_at(wave, checks.sync_read);
        break;
      }
      checks.sync_read = ++time_;
      acquire_at(wave, time_);
      break;
    default:
      break;
  }
}

// What others did before `time` happened before all that the wave does from now on.
void Checker::acquire_at(WaveSlot& wave, std::uint64_t time) {
  GroupChecks& group = group_of(wave);
  WaveChecks& checks = checks_of(wave);
  group.acquire_time = std::max(group.acquire_time, time);
  checks.acquire_time = std::max(checks.acquire_time, time);
}

// The wave writes: whoever sees that may know what was done before. That is its own work up to its
// last wait; and of the other waves of its workgroup, what they had waited for at the last barrier,
// or all before the barrier that this wave had passed when it waited.
void Checker::publish(WaveSlot& wave) {
  WaveChecks& own = checks_of(wave);
  GroupChecks& group = group_of(wave);
  if (own.published == own.waited && own.published_barrier == group.barrier_time) return;
  own.published = own.waited;
  own.published_barrier = group.barrier_time;
  for (unsigned n = 0; n < wave.workgroup->waves; ++n) {
    const WaveChecks& other = group.waves[n];
    if (other.number == 0) continue;
    auto& published = wave_numbers_[other.number - 1].published;
    const auto until = n == wave.index_in_workgroup
                           ? own.waited
                           : std::max(own.barrier_waited, other.waited_at_barrier);
    published = std::max(published, until);
  }
}

}  // namespace geak::emulator::check
