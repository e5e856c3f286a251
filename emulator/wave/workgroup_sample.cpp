#include "emulator/wave/workgroup_sample.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

#include "emulator/model/distinct_lines.h"

namespace geak::emulator {

std::optional<WorkgroupSample> WorkgroupSample::of(std::uint64_t wanted, std::uint64_t count) {
  if (wanted > count / 2) return std::nullopt;
  const std::uint64_t length = (wanted + kRuns - 1) / kRuns;
  if (count < 2 * kRuns * length) return std::nullopt;
  return WorkgroupSample(count, length);
}

std::optional<WorkgroupSample> WorkgroupSample::of_environment(std::uint64_t count) {
  const char* text = std::getenv("GEAK_EMU_SAMPLE");
  if (!text || !*text) return std::nullopt;
  std::uint64_t wanted = 0;
  const auto [end, error] = std::from_chars(text, text + std::strlen(text), wanted);
  if (error != std::errc() || *end != '\0' || wanted == 0) {
    throw std::runtime_error("GEAK_EMU_SAMPLE='" + std::string(text) +
                             "': must be a number of workgroups");
  }
  return of(wanted, count);
}

std::uint64_t WorkgroupSample::workgroup(std::uint64_t n) const {
  const std::uint64_t run = n / length_;
  const std::uint64_t part = count_ / kRuns;
  const std::uint64_t place = (line_hash(run) >> 1) % (part / length_);
  return run * part + place * length_ + n % length_;
}

double WorkgroupSample::all_lines(double of_half, double of_sample) const {
  // shared + own * share of the grid, through both points.
  const double grown = of_sample + 2 * (of_sample - of_half) * (weight() - 1);
  return std::clamp(grown, of_sample, of_sample * weight());
}

}  // namespace geak::emulator
