// What a search tried, as far as the cache remembers it: the ground on which "no gain" stands.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cache/types.h"

namespace geak::optimizer {

struct Tried {
  int candidates = 0;  // that got a verdict
  std::map<std::string, int>
      outcomes;  // of these: "accepted" (verified), "rejected", "refused", ...
  std::map<std::string, int> transforms;  // how many candidates used each
  double best_ratio = 0;                  // of the fastest verified one; 0: none was verified
  std::string best_recipe;                // for people

  // "31 candidates tried (24 verified, 7 rejected) with block_size, unroll; the fastest at 1.01x:
  // unroll(factor=4)".
  std::string text() const;
  nlohmann::json to_json() const;
};

Tried what_was_tried(const std::vector<cache::Trial>& trials);

}  // namespace geak::optimizer
