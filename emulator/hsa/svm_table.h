// Attributes of shared virtual memory: host memory that programs (hipMallocManaged, hipMemAdvise)
// give to devices page by page.
#pragma once

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <cstdint>
#include <map>
#include <mutex>

namespace geak::emulator {

// All memory is in one place, so locations and migration are remembered and reported, and do
// nothing; access is what counts.
class SvmTable {
 public:
  // Throws StatusError for an attribute that can't be set.
  void set(std::uint64_t address, std::uint64_t bytes, const hsa_amd_svm_attribute_pair_t& pair);
  // Fills in the value; of ACCESS_QUERY, the attribute.
  void get(std::uint64_t address, hsa_amd_svm_attribute_pair_t& pair) const;
  void prefetched(std::uint64_t address, std::uint64_t bytes, hsa_agent_t to);

 private:
  struct Range {
    std::uint64_t bytes = 0;
    std::map<std::uint64_t, std::uint64_t> values;  // by attribute
    std::map<std::uint64_t, std::uint64_t> access;  // by agent: the attribute that gave it
  };
  Range& range(std::uint64_t address, std::uint64_t bytes);
  const Range* find(std::uint64_t address) const;

  mutable std::mutex mutex_;
  std::map<std::uint64_t, Range> ranges_;
};

}  // namespace geak::emulator
