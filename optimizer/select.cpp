#include "optimizer/select.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "optimizer/recipe.h"

namespace geak::optimizer {
namespace {

struct Scored {
  cache::VerifiedVariant variant;
  double log_gains;  // summed over the targets
};

// Less is preferred: whether it is for seen values alone, and the length of its recipe. What has no
// recipe of steps (another generator's) comes last.
std::pair<bool, std::size_t> reach_and_length(const cache::VerifiedVariant& variant) {
  const auto text = nlohmann::json::parse(variant.variant.recipe, nullptr, false);
  if (!text.is_array()) return {true, ~std::size_t{0}};
  return {is_for_seen_values(recipe_from_text(variant.variant.recipe)), text.size()};
}

}  // namespace

bool worth_keeping(double gain, double noise) { return gain >= kLeastGain && gain > 1 + noise; }

bool counts_for(const cache::EvidenceType& evidence, const cache::EvidenceType& wanted) {
  using Kind = cache::EvidenceType::Kind;
  if (evidence == wanted) return true;
  return wanted.kind == Kind::modelled && evidence.kind == Kind::measured &&
         !evidence.where.starts_with("NVIDIA");
}

std::vector<cache::VerifiedVariant> worth_keeping_on(const cache::Cache& cache,
                                                     const KeyedTarget& target) {
  auto all = cache.verified(target.key_digest);
  std::erase_if(all, [&](const auto& one) { return !counts_for(one.evidence.type, target.type); });
  const auto is_measured = [](const auto& one) {
    return one.evidence.type.kind == cache::EvidenceType::Kind::measured;
  };
  const bool any_measured = std::any_of(all.begin(), all.end(), is_measured);
  std::erase_if(all, [&](const auto& one) {
    return (any_measured && !is_measured(one)) ||
           !worth_keeping(one.evidence.gain, one.evidence.noise);
  });
  return all;
}

std::optional<cache::VerifiedVariant> select_for_all(const cache::Cache& cache,
                                                     const std::vector<KeyedTarget>& targets) {
  if (targets.empty()) return std::nullopt;
  std::vector<Scored> all;
  for (auto& one : worth_keeping_on(cache, targets.front())) {
    const double score = std::log(one.evidence.gain);
    all.push_back({std::move(one), score});
  }
  for (auto target = targets.begin() + 1; target != targets.end(); ++target) {
    const auto there = worth_keeping_on(cache, *target);
    std::erase_if(all, [&](Scored& one) {
      const auto same = std::find_if(there.begin(), there.end(), [&](const auto& other) {
        return other.variant.digest == one.variant.variant.digest;
      });
      if (same == there.end()) return true;
      one.log_gains += std::log(same->evidence.gain);
      return false;
    });
  }
  if (all.empty()) return std::nullopt;
  double most = 0;
  for (const auto& one : all) most = std::max(most, one.log_gains);
  const double enough = most + std::log(kAsGood) * static_cast<double>(targets.size());
  std::erase_if(all, [&](const Scored& one) { return one.log_gains < enough; });
  return std::min_element(all.begin(), all.end(),
                          [](const auto& a, const auto& b) {
                            return std::pair(reach_and_length(a.variant), -a.log_gains) <
                                   std::pair(reach_and_length(b.variant), -b.log_gains);
                          })
      ->variant;
}

std::optional<cache::VerifiedVariant> select(const cache::Cache& cache,
                                             const std::string& key_digest,
                                             const cache::EvidenceType& type) {
  return select_for_all(cache, {{"", key_digest, type}});
}

std::string unproven(const cache::Cache& cache, const std::vector<std::string>& targets,
                     const std::vector<KeyedTarget>& known) {
  if (known.empty() || worth_keeping_on(cache, known.front()).empty()) return "";
  if (known.size() == targets.size() && select_for_all(cache, known)) return "";
  std::string missing;
  for (const auto& target : targets) {
    const bool is_proven = std::any_of(known.begin(), known.end(), [&](const KeyedTarget& one) {
      return one.target_id == target && !worth_keeping_on(cache, one).empty();
    });
    if (!is_proven) missing += (missing.empty() ? "" : ", ") + target;
  }
  return "its variants are verified and faster for " + known.front().target_id +
         (missing.empty() ? ", but none is for all that this build is for"
                          : ", but not for " + missing + ", which this build is for too");
}

}  // namespace geak::optimizer
