// A marked kernel with the names under which the cache knows it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cache/types.h"
#include "optimizer/marked_kernels.h"
#include "optimizer/select.h"
#include "optimizer/workload.h"

namespace geak::optimizer {

struct KeyedKernel {
  MarkedKernel marked;
  cache::KernelName name;
  cache::Key key;
  std::vector<KeyedKernel> elsewhere;  // as of marked.elsewhere

  // "gfx90a" of "gfx90a:xnack-".
  std::string architecture() const;
};

// Throws std::runtime_error where the toolchain can't be read.
KeyedKernel with_key(const MarkedKernel& kernel);

// The kernel's evidence without hardware: modelled for its own architecture.
cache::EvidenceType evidence_for(const KeyedKernel& kernel);

// What trials on a device show, and how they verify.
cache::EvidenceType evidence_on(const Device& device);
cache::Verification verification_on(const Device& device);

// Where evidence for the kernel would stand: its target and those of `elsewhere`.
std::vector<KeyedTarget> keyed_targets(const KeyedKernel& kernel);

// The variant that a build gets: verified and faster on every target that it is for.
std::optional<cache::VerifiedVariant> select_for_build(const cache::Cache& cache,
                                                       const KeyedKernel& kernel);

// As of unproven() in optimizer/select.h.
std::string unproven_for_build(const cache::Cache& cache, const KeyedKernel& kernel);

}  // namespace geak::optimizer
