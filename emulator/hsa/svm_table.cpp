#include "emulator/hsa/svm_table.h"

#include "emulator/hsa/guard.h"
#include "emulator/memory/page_map.h"

namespace geak::emulator {

SvmTable::Range& SvmTable::range(std::uint64_t address, std::uint64_t bytes) {
  Range& found = ranges_[address];
  if (found.bytes != bytes) found = {bytes, {}, {}};
  return found;
}

const SvmTable::Range* SvmTable::find(std::uint64_t address) const {
  const auto next = ranges_.upper_bound(address);
  if (next == ranges_.begin()) return nullptr;
  const auto& [base, found] = *std::prev(next);
  return address - base < found.bytes ? &found : nullptr;
}

void SvmTable::set(std::uint64_t address, std::uint64_t bytes,
                   const hsa_amd_svm_attribute_pair_t& pair) {
  const std::lock_guard lock(mutex_);
  switch (pair.attribute) {
    case HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE:
    case HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE_IN_PLACE:
    case HSA_AMD_SVM_ATTRIB_AGENT_NO_ACCESS: {
      const Agent& agent = Runtime::instance().checked({pair.value});
      range(address, bytes).access[pair.value] = pair.attribute;
      const bool access = pair.attribute != HSA_AMD_SVM_ATTRIB_AGENT_NO_ACCESS;
      if (agent.gpu) PageMap::instance().set_shared(address, bytes, access);
      return;
    }
    case HSA_AMD_SVM_ATTRIB_GLOBAL_FLAG:
    case HSA_AMD_SVM_ATTRIB_READ_ONLY:
    case HSA_AMD_SVM_ATTRIB_HIVE_LOCAL:
    case HSA_AMD_SVM_ATTRIB_MIGRATION_GRANULARITY:
    case HSA_AMD_SVM_ATTRIB_PREFERRED_LOCATION:
    case HSA_AMD_SVM_ATTRIB_READ_MOSTLY:
      range(address, bytes).values[pair.attribute] = pair.value;
      return;
  }
  throw StatusError{HSA_STATUS_ERROR_INVALID_ARGUMENT};
}

void SvmTable::get(std::uint64_t address, hsa_amd_svm_attribute_pair_t& pair) const {
  const std::lock_guard lock(mutex_);
  const Range* found = find(address);
  if (pair.attribute == HSA_AMD_SVM_ATTRIB_ACCESS_QUERY) {
    pair.attribute = HSA_AMD_SVM_ATTRIB_AGENT_NO_ACCESS;
    if (!found) return;
    const auto access = found->access.find(pair.value);
    if (access != found->access.end()) pair.attribute = access->second;
    return;
  }
  require(pair.attribute <= HSA_AMD_SVM_ATTRIB_READ_MOSTLY, HSA_STATUS_ERROR_INVALID_ARGUMENT);
  pair.value = 0;
  if (!found) return;
  const auto value = found->values.find(pair.attribute);
  if (value != found->values.end()) pair.value = value->second;
}

void SvmTable::prefetched(std::uint64_t address, std::uint64_t bytes, hsa_agent_t to) {
  const std::lock_guard lock(mutex_);
  // A part of a larger range leaves the attributes of the whole as they are.
  if (const Range* found = find(address); found && found->bytes != bytes) {
    const_cast<Range*>(found)->values[HSA_AMD_SVM_ATTRIB_PREFETCH_LOCATION] = to.handle;
    return;
  }
  range(address, bytes).values[HSA_AMD_SVM_ATTRIB_PREFETCH_LOCATION] = to.handle;
}

}  // namespace geak::emulator
