#include "replay/judge/own_error.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace geak::replay {
namespace {

// Other orders of a sum differ from it by as much.
constexpr double kFactor = 8;
constexpr std::size_t kLeastElements = 64;  // for a root mean square to mean something

double quantile(std::vector<float>& values, double share) {
  if (values.empty()) return 0;
  const auto at =
      values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::ranges::nth_element(values, at);
  return *at;
}

// Magnitudes from the least normal one up within which results lie that underflow. A half's least
// is an ordinary number.
double tail_of(ElementType type) {
  return least_normal(type) * (type == ElementType::f16 ? 0x1p4 : 0x1p8);
}
// Of magnitudes that are spread alike over all binades, so many more are denormal floats.
constexpr std::size_t kDenormalsToTail = 4;

}  // namespace

// At least four last places; at most what nobody would call the same result.
AllowanceLimits allowance_limits(ElementType type) {
  switch (type) {
    case ElementType::f64:
      return {0x1p-50, 1e-9};
    case ElementType::f16:
      return {0x1p-9, 0x1p-7};
    case ElementType::bf16:
      return {0x1p-7, 0x1p-5};
    default:
      return {0x1p-21, 1e-4};
  }
}

OwnError::OwnError(std::span<const std::byte> before, std::span<const std::byte> expected,
                   ElementType type, std::span<const std::byte> up, std::span<const std::byte> down,
                   const std::vector<std::span<const std::byte>>& others)
    : before_(before),
      expected_(expected),
      type_(type),
      up_(up),
      down_(down),
      moved_(expected.size() / bytes_of(type), 0.0f) {
  if (!up.empty()) take(up);
  if (!down.empty()) take(down);
  for (const auto& run : others) take(run);
}

bool OwnError::written(std::size_t i) const {
  const auto width = bytes_of(type_);
  return std::memcmp(before_.data() + i * width, expected_.data() + i * width, width) != 0;
}

void OwnError::take(std::span<const std::byte> run) {
  for (std::size_t i = 0; i < moved_.size(); ++i) {
    if (!written(i)) continue;
    const double by = std::abs(element_at(run, type_, i) - element_at(expected_, type_, i));
    // Rounded up: a float holds it.
    if (std::isfinite(by)) moved_[i] = std::max(moved_[i], static_cast<float>(by * (1 + 0x1p-22)));
  }
}

// Whether denormal numbers are what tiny results became, not integers that somebody put into
// floats: integers do not move, and nothing leads down to them.
bool OwnError::underflows() const {
  std::size_t denormal = 0, tail = 0;
  bool move = false;
  for (std::size_t i = 0; i < moved_.size(); ++i) {
    if (!written(i)) continue;
    const bool is_below = is_denormal(expected_, type_, i);
    denormal += is_below;
    move = move || (is_below && moved_[i] != 0);
    const double magnitude = std::abs(element_at(expected_, type_, i));
    tail += !is_below && magnitude > 0 && magnitude < tail_of(type_);
  }
  return move || (tail > 0 && denormal <= kDenormalsToTail * tail);
}

Allowance OwnError::allowance() const {
  const auto [least, most] = allowance_limits(type_);
  std::vector<float> magnitudes, movements, relative;
  for (std::size_t i = 0; i < moved_.size(); ++i) {
    const double magnitude = std::abs(element_at(expected_, type_, i));
    if (!written(i) || !std::isfinite(magnitude)) continue;
    magnitudes.push_back(static_cast<float>(magnitude));
    if (moved_[i] == 0) continue;
    movements.push_back(moved_[i]);
    if (magnitude > 0) relative.push_back(static_cast<float>(moved_[i] / magnitude));
  }
  const double typical = quantile(magnitudes, 0.5);
  Allowance allowance;
  allowance.exact_denormals = !underflows();
  allowance.relative = std::clamp(kFactor * quantile(relative, 0.75), least, most);
  // Denormal numbers have no more last places than the least normal one.
  const double last_places =
      allowance.exact_denormals ? 0 : allowance.relative * least_normal(type_);
  if (up_.empty()) {
    allowance.absolute =
        std::max(std::min(kFactor * quantile(movements, 0.75), most * typical), last_places);
    return allowance;
  }
  allowance.each.resize(moved_.size());
  // Some elements stay where they are by luck: those may move as their lesser fellows do, and as
  // others do for their size.
  const double lesser = quantile(movements, 0.25);
  for (std::size_t i = 0; i < moved_.size(); ++i) {
    const double magnitude = std::abs(element_at(expected_, type_, i));
    if (!std::isfinite(magnitude)) continue;
    const double bound = std::min(kFactor * std::max<double>(moved_[i], lesser),
                                  most * std::max(magnitude, typical));
    allowance.each[i] =
        static_cast<float>(std::max({bound, allowance.relative * magnitude, last_places}));
  }
  return allowance;
}

std::optional<double> OwnError::excess(std::span<const std::byte> found) const {
  if (up_.empty() || down_.empty()) return std::nullopt;
  const auto middle = [&](std::size_t i) {
    return (element_at(up_, type_, i) + element_at(down_, type_, i)) / 2;
  };
  // By how much the error is less than the worst that directed rounding makes of it.
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < moved_.size(); ++i) {
    const double off = element_at(expected_, type_, i) - middle(i);
    if (moved_[i] == 0 || !std::isfinite(off)) continue;
    sum += off / moved_[i] * (off / moved_[i]);
    ++count;
  }
  if (count < kLeastElements) return std::nullopt;
  const double share = std::sqrt(sum / static_cast<double>(count));
  sum = 0;
  for (std::size_t i = 0; i < moved_.size(); ++i) {
    const double expected = element_at(expected_, type_, i);
    const double off = element_at(found, type_, i) - middle(i);
    if (moved_[i] == 0 || !std::isfinite(off)) continue;
    const double scale =
        std::max(share * moved_[i], allowance_limits(type_).least / 2 * std::abs(expected));
    if (scale > 0) sum += off / scale * (off / scale);
  }
  return std::sqrt(sum / static_cast<double>(count));
}

}  // namespace geak::replay
