#include "replay/judge/mutate.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>

#include "support/in_chunks.h"

namespace geak::replay {
namespace {

// Larger arrays are changed in parts of so many elements, each with random numbers of its own.
constexpr std::size_t kElementsAtOnce = 1u << 20;

// Calls `change(begin, end, random)` for parts of [0, count).
template <typename Change>
void in_parts(std::size_t count, std::mt19937_64& random, const Change& change) {
  if (count <= kElementsAtOnce) {
    change(std::size_t{0}, count, random);
    return;
  }
  const auto seed = random();
  support::in_chunks(count, kElementsAtOnce,
                     [&](std::size_t chunk, std::size_t begin, std::size_t end) {
                       std::mt19937_64 own(seed + chunk);
                       change(begin, end, own);
                     });
}

struct Shape {
  double lowest = std::numeric_limits<double>::infinity();
  double highest = -std::numeric_limits<double>::infinity();
  bool ascending = true, descending = true;
  std::size_t zeros = 0, finite = 0;
  bool has_nan = false;
  bool integral = true;  // floating-point elements that are all whole numbers

  void add(const Shape& other) {
    lowest = std::min(lowest, other.lowest);
    highest = std::max(highest, other.highest);
    ascending &= other.ascending;
    descending &= other.descending;
    zeros += other.zeros;
    finite += other.finite;
    has_nan |= other.has_nan;
    integral &= other.integral;
  }
};

class Elements {
 public:
  Elements(std::span<std::byte> contents, ElementType type, std::span<const std::uint64_t> pinned)
      : contents_(contents), type_(type), pinned_(pinned), width_(bytes_of(type)) {}

  std::size_t count() const { return contents_.size() / width_; }
  double get(std::size_t i) const { return element_at(contents_, type_, i); }
  void set(std::size_t i, double value) { set_element(contents_, type_, i, value); }
  bool free(std::size_t i) const {
    const std::uint64_t at = i * width_;
    auto next = std::ranges::lower_bound(pinned_, at >= 7 ? at - 7 : 0);
    return next == pinned_.end() || *next >= at + width_;
  }
  void swap(std::size_t i, std::size_t j) {
    std::swap_ranges(contents_.begin() + i * width_, contents_.begin() + (i + 1) * width_,
                     contents_.begin() + j * width_);
  }

  Shape shape() const {
    std::vector<Shape> parts((count() + kElementsAtOnce - 1) / kElementsAtOnce);
    support::in_chunks(count(), kElementsAtOnce,
                       [&](std::size_t chunk, std::size_t begin, std::size_t end) {
                         parts[chunk] = shape(begin, end);
                       });
    Shape all;
    for (const auto& part : parts) all.add(part);
    return all;
  }

 private:
  Shape shape(std::size_t begin, std::size_t end) const {
    Shape shape;
    double previous = begin ? get(begin - 1) : 0;
    for (std::size_t i = begin; i < end; ++i) {
      const double value = get(i);
      if (std::isnan(value)) {
        shape.has_nan = true;
        shape.ascending = shape.descending = false;
        continue;
      }
      if (i && value < previous) shape.ascending = false;
      if (i && value > previous) shape.descending = false;
      previous = value;
      if (!std::isfinite(value)) continue;
      ++shape.finite;
      shape.zeros += value == 0;
      if (value != std::floor(value)) shape.integral = false;
      shape.lowest = std::min(shape.lowest, value);
      shape.highest = std::max(shape.highest, value);
    }
    return shape;
  }

  std::span<std::byte> contents_;
  ElementType type_;
  std::span<const std::uint64_t> pinned_;
  std::size_t width_;
};

double drawn_value(const Shape& shape, bool whole, std::mt19937_64& random) {
  if (whole) {
    const auto low = static_cast<std::int64_t>(shape.lowest);
    const auto high = static_cast<std::int64_t>(shape.highest);
    return static_cast<double>(std::uniform_int_distribution<std::int64_t>(low, high)(random));
  }
  return std::uniform_real_distribution<double>(shape.lowest, shape.highest)(random);
}

void draw(Elements& elements, const Shape& shape, bool floating, std::mt19937_64& random) {
  const bool whole = !floating || shape.integral;
  // Sparse data stays about as sparse.
  const double zeros = static_cast<double>(shape.zeros) / static_cast<double>(shape.finite);
  in_parts(elements.count(), random, [&](std::size_t begin, std::size_t end, auto& own) {
    std::bernoulli_distribution is_zero(zeros > 0.25 ? zeros : 0);
    for (std::size_t i = begin; i < end; ++i) {
      if (!elements.free(i) || !std::isfinite(elements.get(i))) continue;
      elements.set(i, is_zero(own) ? 0 : drawn_value(shape, whole, own));
    }
  });
}

void draw_sorted(Elements& elements, const Shape& shape, std::mt19937_64& random) {
  std::vector<double> values(elements.count());
  for (auto& value : values) value = drawn_value(shape, shape.integral, random);
  std::ranges::sort(values);
  if (shape.descending) std::ranges::reverse(values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (elements.free(i) && std::isfinite(elements.get(i))) elements.set(i, values[i]);
  }
}

void permute(Elements& elements, std::mt19937_64& random) {
  std::size_t last = 0;
  for (std::size_t i = 0; i < elements.count(); ++i) {
    if (!elements.free(i)) continue;
    std::size_t j = std::uniform_int_distribution<std::size_t>(0, i)(random);
    if (!elements.free(j)) j = last;
    elements.swap(i, j);
    last = i;
  }
}

void nudge(Elements& elements, std::mt19937_64& random) {
  in_parts(elements.count(), random, [&](std::size_t begin, std::size_t end, auto& own) {
    std::uniform_real_distribution<double> factor(0.9, 1.0);
    for (std::size_t i = begin; i < end; ++i) {
      const double value = elements.get(i);
      if (elements.free(i) && std::isfinite(value)) elements.set(i, value * factor(own));
    }
  });
}

template <typename Float, typename Bits>
bool jitter(std::span<std::byte> contents, std::mt19937_64& random, const Elements& elements) {
  std::atomic<bool> changed{false};
  in_parts(contents.size() / sizeof(Float), random,
           [&](std::size_t begin, std::size_t end, auto& own) {
             for (std::size_t i = begin; i < end; ++i) {
               Float value;
               std::memcpy(&value, contents.data() + i * sizeof(Float), sizeof(Float));
               // Whole numbers are often indices, masks or counts in disguise: those are exact.
               if (!std::isfinite(value) || value == std::floor(value) || !elements.free(i))
                 continue;
               Bits bits;
               std::memcpy(&bits, &value, sizeof bits);
               bits += own() % 2 ? Bits{1} : static_cast<Bits>(-1);
               std::memcpy(contents.data() + i * sizeof(Float), &bits, sizeof bits);
               changed = true;
             }
           });
  return changed;
}

}  // namespace

bool make_fresh(std::span<std::byte> contents, ElementType type, Freshness freshness,
                std::span<const std::uint64_t> pinned, std::mt19937_64& random) {
  Elements elements(contents, type, pinned);
  const bool floating = is_floating(type);
  const Shape shape = elements.shape();
  if (elements.count() < 2 || shape.finite == 0 || shape.lowest == shape.highest) return false;
  const std::vector<std::byte> old(contents.begin(), contents.end());
  const bool sorted = shape.ascending || shape.descending;
  if (sorted) {
    if (!floating) return false;
    draw_sorted(elements, shape, random);
  } else if (freshness == Freshness::permuted) {
    permute(elements, random);
  } else if (freshness == Freshness::nudged) {
    if (floating) nudge(elements, random);
  } else {
    draw(elements, shape, floating, random);
  }
  return !std::ranges::equal(old, contents);
}

bool jitter_last_bits(std::span<std::byte> contents, ElementType type,
                      std::span<const std::uint64_t> pinned, std::mt19937_64& random) {
  Elements elements(contents, type, pinned);
  if (type == ElementType::f32) {
    return jitter<float, std::uint32_t>(contents, random, elements);
  }
  if (type == ElementType::f64) {
    return jitter<double, std::uint64_t>(contents, random, elements);
  }
  return false;
}

void poison(std::span<std::byte> contents, unsigned pattern) {
  switch (pattern % 4) {
    case 0:
      std::ranges::fill(contents, std::byte{0xff});
      return;  // NaN, -1
    case 1:
      std::ranges::fill(contents, std::byte{0xa5});
      return;
    case 2:
      std::ranges::fill(contents, std::byte{0});
      return;
    default:
      break;
  }
  std::mt19937_64 random(pattern);
  for (auto& byte : contents) byte = static_cast<std::byte>(random());
}

}  // namespace geak::replay
