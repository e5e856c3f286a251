// A marked kernel with the names under which the cache knows it.
#pragma once

#include <string>

#include "cache/types.h"
#include "optimizer/marked_kernels.h"

namespace geak::optimizer {

struct KeyedKernel {
  MarkedKernel marked;
  cache::KernelName name;
  cache::Key key;

  // "gfx90a" of "gfx90a:xnack-".
  std::string architecture() const;
};

// Throws std::runtime_error where the toolchain can't be read.
KeyedKernel with_key(const MarkedKernel& kernel);

// The one evidence that selects variants for a kernel here: modelled for its own architecture.
cache::EvidenceType evidence_for(const KeyedKernel& kernel);

}  // namespace geak::optimizer
