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

// In [0, 1). The library's own way there asks for a logarithm each time, which took a third of a
// judgement.
double unit(std::mt19937_64& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

// In [0, count).
std::uint64_t below(std::uint64_t count, std::mt19937_64& random) {
  return static_cast<std::uint64_t>((static_cast<unsigned __int128>(random()) * count) >> 64);
}

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
  bool all_free() const { return pinned_.empty(); }
  std::span<std::byte> contents() const { return contents_; }
  std::size_t width() const { return width_; }

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
    const auto span = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
    const auto added = span == ~std::uint64_t{0} ? random() : below(span + 1, random);
    return static_cast<double>(static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + added));
  }
  const double part = unit(random);
  return std::clamp(shape.lowest * (1 - part) + shape.highest * part, shape.lowest, shape.highest);
}

void draw(Elements& elements, const Shape& shape, bool floating, std::mt19937_64& random) {
  const bool whole = !floating || shape.integral;
  // Sparse data stays about as sparse.
  const double zeros = static_cast<double>(shape.zeros) / static_cast<double>(shape.finite);
  in_parts(elements.count(), random, [&](std::size_t begin, std::size_t end, auto& own) {
    const bool sparse = zeros > 0.25;
    for (std::size_t i = begin; i < end; ++i) {
      if (!elements.free(i) || !std::isfinite(elements.get(i))) continue;
      elements.set(i, sparse && unit(own) < zeros ? 0 : drawn_value(shape, whole, own));
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

// What elements of `Word`'s size hold, in another order.
template <typename Word>
void permute_words(Elements& elements, std::mt19937_64& random) {
  std::byte* const bytes = elements.contents().data();
  const std::size_t count = elements.count();
  const auto word = [bytes](std::size_t i) {
    Word value;
    std::memcpy(&value, bytes + i * sizeof(Word), sizeof(Word));
    return value;
  };
  const auto put = [bytes](std::size_t i, Word value) {
    std::memcpy(bytes + i * sizeof(Word), &value, sizeof(Word));
  };
  if (elements.all_free() && count > kElementsAtOnce) {
    // Dealt into many piles like cards, so that each part gets some from everywhere.
    const std::vector<std::byte> old(bytes, bytes + count * sizeof(Word));
    const std::size_t piles = std::max<std::size_t>(61, count / kElementsAtOnce);
    std::size_t to = 0;
    for (std::size_t pile = 0; pile < piles; ++pile)
      for (std::size_t from = pile; from < count; from += piles, ++to)
        std::memcpy(bytes + to * sizeof(Word), old.data() + from * sizeof(Word), sizeof(Word));
  }
  const auto shuffle = [&](std::size_t begin, std::size_t end, std::mt19937_64& own) {
    std::size_t last = begin;
    for (std::size_t i = begin; i < end; ++i) {
      if (!elements.free(i)) continue;
      std::size_t j = begin + below(i - begin + 1, own);
      if (!elements.free(j)) j = last;
      if (!elements.free(j)) j = i;
      const Word kept = word(i);
      put(i, word(j));
      put(j, kept);
      last = i;
    }
  };
  if (elements.all_free())
    in_parts(count, random, shuffle);
  else
    shuffle(0, count, random);
}

void permute(Elements& elements, std::mt19937_64& random) {
  switch (elements.width()) {
    case 1:
      return permute_words<std::uint8_t>(elements, random);
    case 2:
      return permute_words<std::uint16_t>(elements, random);
    case 4:
      return permute_words<std::uint32_t>(elements, random);
    default:
      return permute_words<std::uint64_t>(elements, random);
  }
}

void nudge(Elements& elements, std::mt19937_64& random) {
  in_parts(elements.count(), random, [&](std::size_t begin, std::size_t end, auto& own) {
    for (std::size_t i = begin; i < end; ++i) {
      const double value = elements.get(i);
      if (elements.free(i) && std::isfinite(value))
        elements.set(i, value * (0.9 + 0.1 * unit(own)));
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
  return std::memcmp(old.data(), contents.data(), old.size()) != 0;
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
  for (std::size_t at = 0; at < contents.size(); at += 8) {
    const std::uint64_t word = random();
    std::memcpy(contents.data() + at, &word, std::min<std::size_t>(8, contents.size() - at));
  }
}

}  // namespace geak::replay
