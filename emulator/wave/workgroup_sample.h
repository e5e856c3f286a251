// A part of a dispatch's workgroups that stands for all of them, for whoever asks only how long it
// takes.
#pragma once

#include <cstdint>
#include <optional>

namespace geak::emulator {

// One run of workgroups that follow one another from each of eight equal parts of the grid: long
// runs, for neighbours share lines, and each at another place of its part, so that a stride of the
// kernel's own does not meet the same place everywhere.
//
// What the kernel leaves in memory is then incomplete: no result may be looked at.
class WorkgroupSample {
 public:
  static constexpr std::uint64_t kRuns = 8;

  // About `wanted` of `count` workgroups; none where that would be more than half of them.
  static std::optional<WorkgroupSample> of(std::uint64_t wanted, std::uint64_t count);
  // The same with GEAK_EMU_SAMPLE as it is now, so that a process can change it between its
  // dispatches; none where it is unset or empty. Throws std::runtime_error on anything that is no
  // number.
  static std::optional<WorkgroupSample> of_environment(std::uint64_t count);

  std::uint64_t size() const { return kRuns * length_; }
  // For how many workgroups one of the sample stands.
  double weight() const { return static_cast<double>(count_) / static_cast<double>(size()); }
  // The n-th of the sample.
  std::uint64_t workgroup(std::uint64_t n) const;
  // Whether the n-th belongs to the half that tells what is shared from what is not.
  bool in_half(std::uint64_t n) const { return n / length_ % 2 == 0; }
  // How many lines all workgroups touch, from what the sample and its half do: lines that all of
  // them touch stay as many, lines of each one's own grow with the workgroups.
  double all_lines(double of_half, double of_sample) const;

 private:
  WorkgroupSample(std::uint64_t count, std::uint64_t length) : count_(count), length_(length) {}

  std::uint64_t count_, length_;  // of the grid, of a run
};

}  // namespace geak::emulator
