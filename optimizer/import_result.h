// What `geak import` does, short of printing.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "cache/cache.h"

namespace geak::optimizer {

struct Imported {
  std::string device;
  unsigned verified = 0, lost = 0;    // candidates that got a row
  std::vector<std::string> problems;  // kernels and candidates that were passed over, one line each
};

// Takes the candidates of a worker's result (docs/schemas.md) into the cache as measured(<device>)
// and verified(<device>). A candidate tried on several sizes counts as what it is on all of them
// together, and is lost where it was rejected on one. Throws std::runtime_error for what is no
// result, and CacheError when the cache can't be written.
Imported import_result(const nlohmann::json& result, cache::Cache& cache);

}  // namespace geak::optimizer
