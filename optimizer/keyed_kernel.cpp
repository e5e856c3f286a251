#include "optimizer/keyed_kernel.h"

#include <stdexcept>

#include "cache/location.h"
#include "clang-tool/key.h"
#include "support/verifier_version.h"

namespace geak::optimizer {

std::string KeyedKernel::architecture() const {
  return marked.target_id.substr(0, marked.target_id.find(':'));
}

KeyedKernel with_key(const MarkedKernel& kernel) {
  clang_tool::KeyOptions options;
  options.target_id = kernel.target_id;
  options.verifier = support::verifier_with(kernel.tolerance);
  options.digest_cache = cache::default_path().parent_path() / "toolchain-digests";
  for (const auto& keyed : clang_tool::keyed_kernels(*kernel.unit, {kernel.kernel.name}, options)) {
    if (keyed.symbol != kernel.instantiation.symbol) continue;
    KeyedKernel out{
        kernel, {keyed.source, kernel.full_name(), keyed.symbol}, {keyed.key.digest, {}}, {}};
    for (const auto& part : keyed.key.parts)
      out.key.parts.push_back({part.name, part.digest, part.detail});
    for (const auto& there : kernel.elsewhere) out.elsewhere.push_back(with_key(there));
    return out;
  }
  throw std::runtime_error("no key for " + kernel.full_name() + " in " + kernel.command.file);
}

cache::EvidenceType evidence_for(const KeyedKernel& kernel) {
  return {cache::EvidenceType::Kind::modelled, kernel.architecture()};
}

cache::EvidenceType evidence_on(const Device& device) {
  using Kind = cache::EvidenceType::Kind;
  if (device.emulated) return {Kind::modelled, device.architecture};
  return {Kind::measured, device.name};
}

cache::Verification verification_on(const Device& device) {
  return {device.emulated, device.emulated ? device.architecture : device.name};
}

std::vector<KeyedTarget> keyed_targets(const KeyedKernel& kernel) {
  std::vector<KeyedTarget> targets = {
      {kernel.marked.target_id, kernel.key.digest, evidence_for(kernel)}};
  for (const auto& there : kernel.elsewhere)
    targets.push_back({there.marked.target_id, there.key.digest, evidence_for(there)});
  return targets;
}

std::optional<cache::VerifiedVariant> select_for_build(const cache::Cache& cache,
                                                       const KeyedKernel& kernel) {
  const auto targets = keyed_targets(kernel);
  if (targets.size() < kernel.marked.targets.size()) return std::nullopt;
  return select_for_all(cache, targets);
}

std::string unproven_for_build(const cache::Cache& cache, const KeyedKernel& kernel) {
  return unproven(cache, kernel.marked.targets, keyed_targets(kernel));
}

}  // namespace geak::optimizer
