// Whether a candidate is faster.
#pragma once

#include <string>
#include <vector>

namespace geak::replay {

// The middle value; 0 of none.
double median(std::vector<double> values);

struct LaunchTimes {
  double original_ns = 0, candidate_ns = 0;  // medians
  double weight = 1;                         // launches that this one stands for
  double noise = 0;                          // relative spread of its timings
  bool overhead = false;  // the launch itself bounds its time, not what the kernel does
};

struct Gain {
  double original_ns = 0, candidate_ns = 0;  // weighted sums
  double gain = 0;                           // of the sums: no launch counts more than its time
  double noise = 0;
  bool enough = true;
  std::string reason, attack;  // where it is not enough
};

// `minimum`: the least gain that is accepted, and then only above 1 + noise; 0 accepts any.
Gain judge_gain(const std::vector<LaunchTimes>& launches, double minimum);

}  // namespace geak::replay
