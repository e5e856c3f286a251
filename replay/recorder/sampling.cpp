#include "replay/recorder/sampling.h"

#include <bit>
#include <cstdlib>

namespace geak::replay {
namespace {

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  if (!text || !*text) return otherwise;
  char* end = nullptr;
  const auto value = std::strtoull(text, &end, 10);
  return *end ? otherwise : value;
}

}  // namespace

SamplingLimits SamplingLimits::from_environment() {
  SamplingLimits limits;
  limits.launches_of_class =
      static_cast<unsigned>(number_from("GEAK_RECORD_SAMPLES", limits.launches_of_class));
  limits.class_bytes = number_from("GEAK_RECORD_CLASS_MIB", limits.class_bytes >> 20) << 20;
  limits.launch_bytes = number_from("GEAK_RECORD_LAUNCH_MIB", limits.launch_bytes >> 20) << 20;
  limits.archive_bytes = number_from("GEAK_RECORD_ARCHIVE_MIB", limits.archive_bytes >> 20) << 20;
  return limits;
}

bool Sampler::wants(const std::string& launch_class, const std::string& kernel) {
  const auto [found, is_new] = classes_.try_emplace(launch_class);
  auto& entry = found->second;
  if (is_new) {
    entry.kernel = kernel;
    const unsigned number = ++classes_of_kernel_[kernel];
    entry.sampled = number <= limits_.classes_of_kernel || std::has_single_bit(number);
    if (!entry.sampled) skipped(kernel, "a further launch shape of a kernel with many");
  }
  ++entry.launches;
  if (!entry.sampled || !std::has_single_bit(entry.launches)) return false;
  if (entry.recorded >= limits_.launches_of_class) return false;
  return entry.recorded == 0 || entry.raw_bytes < limits_.class_bytes;
}

std::uint64_t Sampler::ordinal(const std::string& launch_class) const {
  const auto found = classes_.find(launch_class);
  return found == classes_.end() ? 0 : found->second.launches;
}

void Sampler::recorded(const std::string& launch_class, std::uint64_t raw_bytes) {
  auto& entry = classes_[launch_class];
  ++entry.recorded;
  entry.raw_bytes += raw_bytes;
}

void Sampler::skipped(const std::string& kernel, const std::string& why) {
  ++skips_[{kernel, why}];
}

Summary Sampler::summary() const {
  Summary summary;
  std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> by_kernel;
  for (const auto& [name, entry] : classes_) {
    summary.classes.push_back({name, entry.kernel, entry.launches, entry.recorded});
    by_kernel[entry.kernel].first += entry.launches;
    by_kernel[entry.kernel].second += entry.recorded;
  }
  for (const auto& [kernel, counts] : by_kernel) {
    if (counts.first == counts.second) continue;
    summary.skipped.push_back(kernel + ": " + std::to_string(counts.second) + " of " +
                              std::to_string(counts.first) + " launches kept");
  }
  for (const auto& [key, count] : skips_) {
    summary.skipped.push_back(key.first + ": " + key.second + " (" + std::to_string(count) +
                              (count == 1 ? " time)" : " times)"));
  }
  return summary;
}

}  // namespace geak::replay
