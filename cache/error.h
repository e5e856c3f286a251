// The one exception of the cache: its text names the file and the remedy.
#pragma once

#include <stdexcept>

namespace geak::cache {

struct CacheError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace geak::cache
