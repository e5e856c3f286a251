// Whether a candidate's memory is the original's.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "replay/judge/element_type.h"

namespace geak::replay {

// How far a floating-point element may be off: |difference| <= absolute + relative * |expected|,
// or, where `each` has one number an element, that number.
struct Allowance {
  double relative = 0, absolute = 0;
  std::vector<float> each = {};
  // Denormal numbers are most often integers that somebody put into floats: equal or not.
  bool exact_denormals = true;
};

struct Difference {
  std::size_t elements = 0;        // that differ by more than allowed
  std::size_t compared = 0;        // elements that the original changed, or that differ
  std::size_t first = 0;           // index of the first such
  double expected = 0, found = 0;  // there
  double worst = 0;  // largest error, relative to max(|expected|, rms), among finite elements
  bool input_changed = false;   // where the original wrote nothing
  bool nan_for_number = false;  // NaN or infinity where the original has a number
  std::size_t unwritten = 0;    // differing elements that still are as before the launch
  std::size_t zeros = 0;        // differing elements that are zero
  std::size_t constant = 0;     // differing elements equal to the first differing one
};

// Compares what a region holds after the candidate with what it holds after the original.
// `before`: what it held before both. Bytes that the original did not change must be equal;
// others are compared as elements. None where it is acceptable.
std::optional<Difference> compare(std::span<const std::byte> before,
                                  std::span<const std::byte> original,
                                  std::span<const std::byte> candidate, ElementType type,
                                  const Allowance& allowance);

// The largest |difference| / max(|a|, rms of a), over elements that are finite in both.
// Whether the element is a floating-point number below the least normal one, zero aside.
bool is_denormal(std::span<const std::byte> contents, ElementType type, std::size_t at);

double largest_relative_difference(std::span<const std::byte> a, std::span<const std::byte> b,
                                   ElementType type);
double root_mean_square(std::span<const std::byte> contents, ElementType type);

// "17: partial work" and so on (docs: the attacks that are known), for a difference of a kind;
// empty where it is of none.
std::string attack_of(const Difference& difference);

}  // namespace geak::replay
