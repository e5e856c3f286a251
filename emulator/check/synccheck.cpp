// synccheck: every work-item of a workgroup reaches every barrier.
#include <fmt/format.h>

#include "emulator/check/checker.h"
#include "emulator/check/group_state.h"
#include "emulator/wave/launch.h"

namespace geak::emulator::check {

// A wave stands at s_barrier.
void Checker::check_barrier(WaveSlot& wave, const Instruction& instruction) {
  WaveChecks& checks = checks_of(wave);
  checks.barrier = &instruction;
  checks.barrier_program = wave.program;
  checks.barrier_callers = checks.callers;
  const std::uint64_t missing = checks.initial_exec & ~wave.exec();
  if (missing == 0 || !wanted(wave, instruction, "divergent_barrier")) return;
  const unsigned lane = static_cast<unsigned>(std::countr_zero(missing));
  Finding finding;
  finding.tool = "synccheck";
  finding.kind = "divergent_barrier";
  finding.message =
      fmt::format("barrier that {} of the wave's {} work-items do not reach; the first is shown",
                  std::popcount(missing), std::popcount(checks.initial_exec));
  report(wave, instruction, std::move(finding), lane);
}

// All that have not ended are at a barrier: it should be all, and the same one.
void Checker::check_meeting(Workgroup& group) {
  WaveSlot* waiting = nullptr;
  WaveSlot* ended = nullptr;
  for (unsigned n = 0; n < group.waves; ++n) {
    WaveSlot& wave = *group.slots[n];
    if (wave.state == WaveState::at_barrier) waiting = &wave;
    if (wave.state == WaveState::ended) ended = &wave;
  }
  if (!waiting) return;
  const WaveChecks& first = checks_of(*waiting);
  if (!first.barrier) return;
  if (ended && wanted(*waiting, *first.barrier, "barrier_after_exit")) {
    Finding finding;
    finding.tool = "synccheck";
    finding.kind = "barrier_after_exit";
    finding.message = fmt::format("barrier at which wave {} does not arrive: it has ended",
                                  ended->index_in_workgroup);
    report(*waiting, *first.barrier, std::move(finding), 0);
  }
  for (unsigned n = 0; n < group.waves; ++n) {
    WaveSlot& wave = *group.slots[n];
    const WaveChecks& other = checks_of(wave);
    if (wave.state != WaveState::at_barrier ||
        (other.barrier == first.barrier && other.barrier_callers == first.barrier_callers))
      continue;
    report_different(*waiting, wave);
    return;
  }
}

// Copies that the compiler makes of one barrier have its line.
void Checker::report_different(WaveSlot& one, WaveSlot& other) {
  const LoadedCode& code = *one.workgroup->launch->dispatch.code;
  const WaveChecks &first = checks_of(one), &second = checks_of(other);
  const auto line_of = [&](const WaveChecks& checks) {
    std::vector<std::uint64_t> addresses{checks.barrier_program->address_of(*checks.barrier)};
    for (const std::uint64_t caller : checks.barrier_callers) addresses.push_back(caller - 1);
    std::string line;
    for (const std::uint64_t address : addresses) {
      for (const SourceFrame& frame : log_.lines().device(code, address))
        line += frame.line ? fmt::format("{}:{} ", frame.file, frame.line) : "";
    }
    return line;
  };
  if (first.barrier_program != one.program || second.barrier_program != one.program) return;
  if (line_of(first) == line_of(second)) return;
  if (!wanted(one, *first.barrier, "different_barriers")) return;
  Finding finding;
  finding.tool = "synccheck";
  finding.kind = "different_barriers";
  finding.message = "waves of one workgroup wait at different barriers";
  finding.other = place_of(other, *second.barrier, 0);
  finding.other_role = "the other barrier";
  report(one, *first.barrier, std::move(finding), 0);
}

}  // namespace geak::emulator::check
