#include "replay/judge/variations.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

namespace geak::replay {
namespace {

constexpr std::size_t kMostIntegers = 6;
constexpr std::int64_t kLargestMode = 3, kLeastSeed = std::int64_t{1} << 20;

enum class WordKind { real, integer };

struct Word {
  std::uint32_t offset = 0, bytes = 4;  // in the kernarg bytes
  WordKind kind = WordKind::integer;
  std::string name;
};

// Numbers that programs pass; small integers read as floats are denormals.
bool looks_real(std::uint32_t bits) {
  const float value = std::bit_cast<float>(bits);
  return std::isfinite(value) && std::abs(value) > 1e-9f && std::abs(value) < 1e9f;
}

template <typename T>
T word_at(const LaunchRecord& launch, std::uint32_t offset) {
  T value;
  std::memcpy(&value, launch.kernarg.data() + offset, sizeof value);
  return value;
}

bool holds_address(const LaunchRecord& launch, std::uint32_t offset, std::uint32_t bytes) {
  return std::ranges::any_of(launch.pointers, [&](const auto& pointer) {
    return pointer.offset < offset + bytes && offset < pointer.offset + 8;
  });
}

std::vector<Word> words_of(const LaunchRecord& launch, const KernelMetadata& kernel,
                           const std::vector<std::string>& types) {
  std::vector<Word> words;
  std::size_t position = 0;
  for (const auto& argument : kernel.arguments) {
    if (argument.hidden()) continue;
    const auto index = position++;
    if (argument.value_kind != "by_value" ||
        argument.offset + argument.bytes > launch.kernarg.size())
      continue;
    const std::string type = index < types.size() ? types[index] : "";
    const std::string name = "argument " + std::to_string(index);
    const bool whole = argument.bytes <= 8 && std::has_single_bit(argument.bytes) &&
                       (type == "double" || type.find("long") != std::string::npos ||
                        argument.bytes <= 4 || type.empty());
    const std::uint32_t step = whole ? argument.bytes : 4;
    for (std::uint32_t at = 0; at + step <= argument.bytes; at += step) {
      const std::uint32_t offset = argument.offset + at;
      if (holds_address(launch, offset, step)) continue;
      const bool real = type == "float" || type == "double" ||
                        (step == 4 && (type.empty() || !whole) &&
                         looks_real(word_at<std::uint32_t>(launch, offset)));
      words.push_back({offset, step, real ? WordKind::real : WordKind::integer,
                       whole ? name : name + " at byte " + std::to_string(at)});
    }
  }
  return words;
}

double other_real(double value) { return value == 0 ? 0.6875 : value * 1.375; }

bool change_real(LaunchRecord& record, const Word& word) {
  if (word.bytes == 8) {
    const double value = other_real(word_at<double>(record, word.offset));
    std::memcpy(record.kernarg.data() + word.offset, &value, 8);
  } else if (word.bytes == 4) {
    const auto value = static_cast<float>(other_real(word_at<float>(record, word.offset)));
    std::memcpy(record.kernarg.data() + word.offset, &value, 4);
  } else {
    return false;
  }
  return true;
}

std::int64_t integer_at(const LaunchRecord& launch, const Word& word) {
  switch (word.bytes) {
    case 1:
      return word_at<std::uint8_t>(launch, word.offset);
    case 2:
      return word_at<std::uint16_t>(launch, word.offset);
    case 4:
      return word_at<std::int32_t>(launch, word.offset);
    default:
      return word_at<std::int64_t>(launch, word.offset);
  }
}

std::vector<std::int64_t> other_integers(std::int64_t value, std::uint32_t bytes) {
  if (value >= kLeastSeed || value < -kLeastSeed) return {value ^ 0x1eece66d};
  if (value < 0 || value > kLargestMode) return {};
  // Not 0 in place of 1: of a step it would make an endless loop.
  if (value == 0) return {1};
  if (value == 1 && bytes == 1) return {0};  // a bool
  if (value == 1) return {2};
  return {value - 1, value + 1};
}

bool is_size(const std::vector<SizeArgument>& sizes, std::uint32_t offset) {
  return std::ranges::any_of(sizes, [&](const SizeArgument& size) {
    return std::ranges::find(size.offsets, offset) != size.offsets.end();
  });
}

bool constant(std::span<const std::byte> contents, std::size_t width) {
  for (std::size_t at = width; at + width <= contents.size(); at += width) {
    if (std::memcmp(contents.data(), contents.data() + at, width) != 0) return false;
  }
  return contents.size() >= width;
}

}  // namespace

std::vector<OtherArguments> other_arguments(const LaunchRecord& launch,
                                            const KernelMetadata& kernel,
                                            const std::vector<std::string>& types,
                                            const std::vector<SizeArgument>& sizes) {
  std::vector<OtherArguments> made;
  OtherArguments reals{launch, "other numbers"};
  std::string changed;
  std::size_t integers = 0;
  for (const Word& word : words_of(launch, kernel, types)) {
    if (word.kind == WordKind::real) {
      if (change_real(reals.record, word)) changed += (changed.empty() ? "" : ", ") + word.name;
      continue;
    }
    if (is_size(sizes, word.offset) || integers == kMostIntegers) continue;
    const auto value = integer_at(launch, word);
    const auto others = other_integers(value, word.bytes);
    integers += !others.empty();
    for (const auto other : others) {
      OtherArguments one{launch, std::to_string(other) + " in place of " + std::to_string(value) +
                                     " (" + word.name + ")"};
      std::memcpy(one.record.kernarg.data() + word.offset, &other, word.bytes);
      made.push_back(std::move(one));
    }
  }
  if (!changed.empty()) {
    reals.what += " (" + changed + ")";
    made.push_back(std::move(reals));
  }
  return made;
}

namespace {

void change_constant(std::vector<std::byte>& contents, ElementType type, std::mt19937_64& random) {
  std::uniform_real_distribution<double> factor(0.5, 1.5);
  const double value = element_at(contents, type, 0);
  for (std::size_t at = 0; at < contents.size() / bytes_of(type); ++at) {
    // An integer may be an index: one more at most.
    const double other = is_floating(type)
                             ? (value == 0 ? factor(random) - 1 : value * factor(random))
                             : value + static_cast<double>(at == 0 || random() % 2);
    set_element(contents, type, at, other);
  }
}

}  // namespace

std::vector<OtherLaunch> other_constants(const LaunchRecord& launch, const Image& before,
                                         const std::vector<bool>& read,
                                         const std::vector<ElementType>& types) {
  std::vector<OtherLaunch> made;
  std::mt19937_64 random(0xc0);
  for (const bool as_float : {false, true}) {
    OtherLaunch other{launch, before, "other values in memory that holds one value"};
    bool changed = false;
    for (std::size_t i = 0; i < before.size(); ++i) {
      const bool zero =
          std::ranges::all_of(before[i], [](std::byte b) { return b == std::byte{}; });
      auto type = zero ? types[i] : guess_element(before[i]);
      if (as_float && (!zero || is_floating(type) || before[i].size() % 4)) continue;
      if (as_float) type = ElementType::f32;
      if (!read[i] || !constant(before[i], bytes_of(type))) continue;
      if (!std::isfinite(element_at(before[i], type, 0))) continue;
      change_constant(other.before[i], type, random);
      changed = true;
    }
    if (changed) made.push_back(std::move(other));
  }
  return made;
}

namespace {

// Replaces every 64th number that is no whole one, which may be an index; none where there are
// none.
template <typename Change>
std::optional<OtherLaunch> with_changed_numbers(const LaunchRecord& launch, const Image& before,
                                                const std::vector<bool>& read,
                                                const std::string& what, const Change& change) {
  OtherLaunch made{launch, before, what};
  bool changed = false;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const auto type = guess_element(before[i]);
    if (!read[i] || !is_floating(type)) continue;
    for (std::size_t at = 3; at < before[i].size() / bytes_of(type); at += 64) {
      const double value = element_at(before[i], type, at);
      if (!std::isfinite(value) || value == std::floor(value)) continue;
      set_element(made.before[i], type, at, change(value, at));
      changed = true;
    }
  }
  if (!changed) return std::nullopt;
  return made;
}

}  // namespace

std::optional<OtherLaunch> not_numbers(const LaunchRecord& launch, const Image& before,
                                       const std::vector<bool>& read) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return with_changed_numbers(launch, before, read, "NaN and infinities among its numbers",
                              [](double, std::size_t at) {
                                if (at / 64 % 3 == 0) return std::nan("");
                                return at / 64 % 3 == 1 ? kInfinity : -kInfinity;
                              });
}

std::optional<OtherLaunch> large_values(const LaunchRecord& launch, const Image& before,
                                        const std::vector<bool>& read) {
  return with_changed_numbers(launch, before, read, "some numbers 256 times as large",
                              [](double value, std::size_t) { return value * 256; });
}

}  // namespace geak::replay
