#include "replay/judge/compare.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <vector>

#include "support/in_chunks.h"

namespace geak::replay {
namespace {

bool same_bytes(std::span<const std::byte> a, std::span<const std::byte> b, std::size_t at,
                std::size_t bytes) {
  return std::memcmp(a.data() + at, b.data() + at, bytes) == 0;
}

struct FloatFormat {
  unsigned bits = 0, mantissa = 0;
};

FloatFormat format_of(ElementType type) {
  switch (type) {
    case ElementType::f16:
      return {16, 10};
    case ElementType::bf16:
      return {16, 7};
    case ElementType::f64:
      return {64, 52};
    default:
      return {32, 23};
  }
}

std::uint64_t bits_at(std::span<const std::byte> contents, ElementType type, std::size_t at) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, contents.data() + at * bytes_of(type), bytes_of(type));
  return bits;
}

// What arithmetic makes: quiet, and all of its payload clear or (as NVIDIA's does) set. Another,
// 0xffffffff for instance, is an integer that somebody put into a float.
bool is_arithmetic_nan(std::uint64_t bits, ElementType type) {
  const auto [width, mantissa] = format_of(type);
  const std::uint64_t payload = bits & ((std::uint64_t{1} << mantissa) - 1);
  const std::uint64_t quiet = std::uint64_t{1} << (mantissa - 1);
  const bool negative = bits >> (width - 1);
  return payload == quiet || (!negative && payload == quiet * 2 - 1);
}

// +0 and -0 are equal numbers; any NaN that arithmetic makes is as good as another.
bool acceptable(std::span<const std::byte> original, std::span<const std::byte> candidate,
                ElementType type, std::size_t at, const Allowance& allowance) {
  const double expected = element_at(original, type, at), found = element_at(candidate, type, at);
  if (std::isnan(expected))
    return std::isnan(found) && is_arithmetic_nan(bits_at(original, type, at), type);
  if (std::isinf(expected)) return found == expected;
  if (!std::isfinite(found)) return false;
  if (allowance.exact_denormals &&
      (is_denormal(original, type, at) || is_denormal(candidate, type, at)))
    return false;
  const double off = std::abs(found - expected);
  return off <= (allowance.each.empty()
                     ? allowance.absolute + allowance.relative * std::abs(expected)
                     : static_cast<double>(allowance.each[at]));
}

void note(Difference& difference, double before, double expected, double found, std::size_t at,
          double floor) {
  if (difference.elements++ == 0) {
    difference.first = at;
    difference.expected = expected;
    difference.found = found;
  }
  if (!std::isfinite(found) && std::isfinite(expected)) difference.nan_for_number = true;
  if (found == before || (std::isnan(found) && std::isnan(before))) ++difference.unwritten;
  difference.zeros += found == 0;
  difference.constant += found == difference.found;
  if (std::isfinite(found) && std::isfinite(expected)) {
    const double scale = std::max({std::abs(expected), floor, 1e-300});
    difference.worst = std::max(difference.worst, std::abs(found - expected) / scale);
  } else {
    difference.worst = INFINITY;
  }
}

constexpr std::size_t kElementsAtOnce = 1u << 20;

struct Contents {
  std::span<const std::byte> before, original, candidate;
};

// Whether the candidate may have left this element as it is.
bool is_right(const Contents& contents, ElementType type, const Allowance& allowance,
              std::size_t i) {
  const std::size_t width = bytes_of(type);
  if (same_bytes(contents.original, contents.candidate, i * width, width)) return true;
  return is_floating(type) && !same_bytes(contents.before, contents.original, i * width, width) &&
         acceptable(contents.original, contents.candidate, type, i, allowance);
}

// What most comparisons end with. Says nothing of a last element that is cut off.
bool are_all_right(const Contents& contents, ElementType type, const Allowance& allowance) {
  std::atomic<bool> right{true};
  support::in_chunks(contents.original.size() / bytes_of(type), kElementsAtOnce,
                     [&](std::size_t, std::size_t begin, std::size_t end) {
                       for (std::size_t i = begin; i < end && right; ++i)
                         if (!is_right(contents, type, allowance, i)) right = false;
                     });
  return right;
}

}  // namespace

std::optional<Difference> compare(std::span<const std::byte> before,
                                  std::span<const std::byte> original,
                                  std::span<const std::byte> candidate, ElementType type,
                                  const Allowance& allowance) {
  if (same_bytes(original, candidate, 0, original.size())) return std::nullopt;
  const std::size_t width = bytes_of(type);
  if (original.size() % width == 0 && are_all_right({before, original, candidate}, type, allowance))
    return std::nullopt;
  Difference difference;
  const double floor = root_mean_square(original, type);
  for (std::size_t at = 0; at < original.size(); at += width) {
    const std::size_t bytes = std::min(width, original.size() - at);
    const bool written = !same_bytes(before, original, at, bytes);
    const bool same = same_bytes(original, candidate, at, bytes);
    difference.compared += written;
    if (same) continue;
    const std::size_t i = at / width;
    const bool whole = bytes == width;
    const double expected = whole ? element_at(original, type, i) : 0;
    const double found = whole ? element_at(candidate, type, i) : 0;
    if (whole && written && is_floating(type) &&
        acceptable(original, candidate, type, i, allowance))
      continue;
    if (!written) {
      difference.input_changed = true;
      ++difference.compared;
    }
    note(difference, whole ? element_at(before, type, i) : 0, expected, found, i, floor);
  }
  if (difference.elements == 0) return std::nullopt;
  return difference;
}

bool is_denormal(std::span<const std::byte> contents, ElementType type, std::size_t at) {
  const auto [width, mantissa] = format_of(type);
  const std::uint64_t magnitude = bits_at(contents, type, at) & ~(std::uint64_t{1} << (width - 1));
  return magnitude != 0 && magnitude >> mantissa == 0;
}

double root_mean_square(std::span<const std::byte> contents, ElementType type) {
  struct Part {
    double sum = 0;
    std::size_t count = 0;
  };
  const std::size_t elements = contents.size() / bytes_of(type);
  std::vector<Part> parts((elements + kElementsAtOnce - 1) / kElementsAtOnce);
  support::in_chunks(elements, kElementsAtOnce,
                     [&](std::size_t chunk, std::size_t begin, std::size_t end) {
                       Part part;
                       for (std::size_t i = begin; i < end; ++i) {
                         const double value = element_at(contents, type, i);
                         if (!std::isfinite(value)) continue;
                         part.sum += value * value;
                         ++part.count;
                       }
                       parts[chunk] = part;
                     });
  Part all;
  for (const auto& part : parts) {
    all.sum += part.sum;
    all.count += part.count;
  }
  return all.count ? std::sqrt(all.sum / static_cast<double>(all.count)) : 0;
}

double largest_relative_difference(std::span<const std::byte> a, std::span<const std::byte> b,
                                   ElementType type) {
  const double floor = root_mean_square(a, type);
  const std::size_t elements = a.size() / bytes_of(type);
  std::vector<double> parts((elements + kElementsAtOnce - 1) / kElementsAtOnce);
  support::in_chunks(elements, kElementsAtOnce,
                     [&](std::size_t chunk, std::size_t begin, std::size_t end) {
                       double largest = 0;
                       for (std::size_t i = begin; i < end; ++i) {
                         const double x = element_at(a, type, i), y = element_at(b, type, i);
                         if (x == y || !std::isfinite(x) || !std::isfinite(y)) continue;
                         const double scale = std::max(std::abs(x), floor);
                         if (scale > 0) largest = std::max(largest, std::abs(x - y) / scale);
                       }
                       parts[chunk] = largest;
                     });
  return parts.empty() ? 0 : *std::ranges::max_element(parts);
}

std::string attack_of(const Difference& difference) {
  if (difference.nan_for_number) return "19: NaN or infinity in place of numbers";
  if (difference.input_changed) return "14: changes what the original leaves as it is";
  const bool all = difference.elements >= difference.compared;
  if (difference.unwritten == difference.elements) {
    return all ? "15: no output is written" : "17: part of the output is not written";
  }
  if (all && difference.zeros == difference.elements) return "15: zero output";
  if (all && difference.elements > 1 && difference.constant == difference.elements) {
    return "15: constant output";
  }
  const bool alike = difference.elements > 1 && difference.constant == difference.elements;
  if (difference.zeros == difference.elements || alike) {
    return "17: part of the output is not computed";
  }
  if (difference.worst < 0.02) return "18: loss of precision";
  return all ? "15: other results than the original's" : "17: part of the output is wrong";
}

}  // namespace geak::replay
