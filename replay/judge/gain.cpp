#include "replay/judge/gain.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace geak::replay {
namespace {

// Mean of the launches' own ratios: what a single tiny launch can skew.
double geometric_mean(const std::vector<LaunchTimes>& launches) {
  double sum = 0;
  for (const auto& times : launches) {
    if (times.original_ns > 0 && times.candidate_ns > 0) {
      sum += std::log(times.original_ns / times.candidate_ns);
    }
  }
  return launches.empty() ? 1 : std::exp(sum / static_cast<double>(launches.size()));
}

std::string attack_of(const std::vector<LaunchTimes>& launches, const Gain& gain, double least) {
  const auto faster_alone = [&](const LaunchTimes& times) {
    return times.candidate_ns > 0 && times.original_ns / times.candidate_ns >= least;
  };
  if (std::ranges::any_of(launches, faster_alone) || geometric_mean(launches) >= least) {
    return "10: a gain on some launches that vanishes in the whole";
  }
  if (gain.gain > 1 && gain.gain <= 1 + gain.noise) return "30: best of noisy runs";
  if (std::ranges::all_of(launches, &LaunchTimes::overhead)) {
    return "11, 12, 22, 23: no gain once both are timed alike; most of it is the launch's overhead";
  }
  return "11, 22, 23: no gain once both are timed alike";
}

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const auto middle = values.size() / 2;
  return values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

Gain judge_gain(const std::vector<LaunchTimes>& launches, double minimum) {
  Gain gain;
  for (const auto& times : launches) {
    gain.original_ns += times.weight * times.original_ns;
    gain.candidate_ns += times.weight * times.candidate_ns;
    gain.noise = std::max(gain.noise, times.noise);
  }
  gain.gain = gain.candidate_ns > 0 ? gain.original_ns / gain.candidate_ns : 0;
  if (minimum <= 0) return gain;
  const double least = std::max(minimum, 1 + gain.noise);
  if (gain.gain >= least) return gain;
  gain.enough = false;
  char text[160];
  std::snprintf(text, sizeof text,
                "its results are right, but it takes 1/%.3f of the original's time, and a gain "
                "of %.3f is asked for (noise %.3f)",
                gain.gain, minimum, gain.noise);
  gain.reason = text;
  gain.attack = attack_of(launches, gain, least);
  return gain;
}

}  // namespace geak::replay
