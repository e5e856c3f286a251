// How wrong a floating-point result is by itself, and what a candidate's may therefore be.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "replay/judge/compare.h"

namespace geak::replay {

// Between these lies what an element may be off, relative to itself.
struct AllowanceLimits {
  double least = 0, most = 0;
};
AllowanceLimits allowance_limits(ElementType type);

// One output of one input: what the original left, and what it leaves where it rounds in other
// directions or its inputs' last bits differ.
//
// Errors are taken element by element, never from a buffer's largest or root mean square: one
// sentinel of 1e38 among small numbers would make a wildcard of all others.
class OwnError {
 public:
  // `before`: what the output held; elements that stayed have no error. `up`, `down`: rounded up
  // and down throughout; empty where the device has no such modes. `others`: further runs. All hold
  // as many bytes as `expected`, and must outlive this.
  OwnError(std::span<const std::byte> before, std::span<const std::byte> expected, ElementType type,
           std::span<const std::byte> up, std::span<const std::byte> down,
           const std::vector<std::span<const std::byte>>& others);

  // An element may be off by 8 times what moved it. Without directed rounding it is the buffer's
  // typical error in place of the element's own, which too few runs show.
  Allowance allowance() const;

  // How many times the root mean square error of `found` is that of the original, over the
  // elements that move at all; the mean of both directed results stands for the exact one, as the
  // errors of both cancel but for a part that is as random as those of rounding to nearest. None
  // where there are no directed results or too few elements.
  std::optional<double> excess(std::span<const std::byte> found) const;

 private:
  bool written(std::size_t i) const;
  bool underflows() const;
  void take(std::span<const std::byte> run);

  std::span<const std::byte> before_, expected_;
  ElementType type_;
  std::span<const std::byte> up_, down_;
  std::vector<float> moved_;  // largest |run - expected| of each element
};

// What excess() may be: "a small factor of the original's own error".
inline constexpr double kMostExcess = 4;

}  // namespace geak::replay
