#include "optimizer/select.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace geak::optimizer {
namespace {

constexpr double kSameSpeed = 0.99;

std::size_t steps_of(const cache::VerifiedVariant& variant) {
  const auto recipe = nlohmann::json::parse(variant.variant.recipe, nullptr, false);
  return recipe.is_array() ? recipe.size() : ~std::size_t{0};
}

}  // namespace

bool worth_keeping(double gain, double noise) { return gain >= kLeastGain && gain > 1 + noise; }

std::optional<cache::VerifiedVariant> select(const cache::Cache& cache,
                                             const std::string& key_digest,
                                             const cache::EvidenceType& type) {
  auto all = cache.verified(key_digest);
  std::erase_if(all, [&](const auto& one) {
    return one.evidence.type != type || !worth_keeping(one.evidence.gain, one.evidence.noise);
  });
  if (all.empty()) return std::nullopt;
  const double enough = all.front().evidence.gain * kSameSpeed;  // the highest gain comes first
  std::erase_if(all, [&](const auto& one) { return one.evidence.gain < enough; });
  return *std::min_element(all.begin(), all.end(),
                           [](const auto& a, const auto& b) { return steps_of(a) < steps_of(b); });
}

}  // namespace geak::optimizer
