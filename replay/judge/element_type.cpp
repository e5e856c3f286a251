#include "replay/judge/element_type.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <regex>
#include <utility>

namespace geak::replay {
namespace {

constexpr std::size_t kSample = 4096;  // elements looked at, spread over the buffer

template <typename T>
T load(std::span<const std::byte> contents, std::size_t at) {
  T value;
  std::memcpy(&value, contents.data() + at * sizeof(T), sizeof(T));
  return value;
}

template <typename T>
void store(std::span<std::byte> contents, std::size_t at, T value) {
  std::memcpy(contents.data() + at * sizeof(T), &value, sizeof(T));
}

float from_half(std::uint16_t bits) {
  _Float16 value;
  std::memcpy(&value, &bits, 2);
  return static_cast<float>(value);
}

std::uint16_t to_half(float number) {
  const auto value = static_cast<_Float16>(number);
  std::uint16_t bits;
  std::memcpy(&bits, &value, 2);
  return bits;
}

float from_bfloat(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

std::uint16_t to_bfloat(float number) {
  const auto bits = std::bit_cast<std::uint32_t>(number);
  if (std::isnan(number)) return static_cast<std::uint16_t>(bits >> 16 | 0x40);
  return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

// A number that programs compute with: zero, or neither tiny nor huge, or the largest that there
// is, which stands for "none".
bool plausible(double value) {
  return value == 0 || std::abs(value) == std::numeric_limits<float>::max() ||
         (std::isfinite(value) && std::abs(value) > 1e-12 && std::abs(value) < 1e15);
}

template <typename Float>
bool reads_as(std::span<const std::byte> contents) {
  const std::size_t count = contents.size() / sizeof(Float);
  if (count == 0) return false;
  const std::size_t step = std::max<std::size_t>(1, count / kSample);
  std::size_t seen = 0, good = 0, zero = 0;
  for (std::size_t i = 0; i < count; i += step) {
    const auto value = load<Float>(contents, i);
    ++seen;
    // +inf and NaN are ordinary in results; small integers are denormals and thus implausible.
    if (plausible(value) || std::isinf(value)) ++good;
    if (std::bit_cast<std::conditional_t<sizeof(Float) == 8, std::uint64_t, std::uint32_t>>(
            value) == 0) {
      ++zero;
    }
  }
  return zero < seen && (good - zero) * 100 >= (seen - zero) * 98;
}

// 64-bit integers of ordinary size: the high half of each is zero or all ones.
bool reads_as_long(std::span<const std::byte> contents) {
  const std::size_t count = contents.size() / 8;
  if (count == 0 || contents.size() % 8) return false;
  bool some = false;
  for (std::size_t i = 0; i < count; i += std::max<std::size_t>(1, count / kSample)) {
    const auto value = load<std::int64_t>(contents, i);
    const auto high = value >> 32;
    if (high != 0 && high != -1) return false;
    some |= value != 0;
  }
  return some;
}

// Integers of 32 bits of which most are below a million; bytes read together are not.
bool reads_as_int(std::span<const std::byte> contents) {
  const std::size_t count = contents.size() / 4;
  if (count == 0 || contents.size() % 4) return false;
  std::size_t small = 0, seen = 0;
  for (std::size_t i = 0; i < count; i += std::max<std::size_t>(1, count / kSample)) {
    const auto value = load<std::int32_t>(contents, i);
    small += value > -(1 << 24) && value < (1 << 24);
    ++seen;
  }
  return small * 2 > seen;
}

}  // namespace

std::size_t bytes_of(ElementType type) {
  switch (type) {
    case ElementType::u8:
      return 1;
    case ElementType::u16:
    case ElementType::f16:
    case ElementType::bf16:
      return 2;
    case ElementType::u32:
    case ElementType::f32:
      return 4;
    case ElementType::u64:
    case ElementType::f64:
      return 8;
  }
  return 1;
}

bool is_floating(ElementType type) {
  return type == ElementType::f16 || type == ElementType::bf16 || type == ElementType::f32 ||
         type == ElementType::f64;
}

double least_normal(ElementType type) {
  switch (type) {
    case ElementType::f16:
      return 0x1p-14;
    case ElementType::bf16:
    case ElementType::f32:
      return std::numeric_limits<float>::min();
    case ElementType::f64:
      return std::numeric_limits<double>::min();
    default:
      return 0;
  }
}

const char* name_of(ElementType type) {
  static constexpr const char* names[] = {
      "8-bit integers", "16-bit integers", "32-bit integers", "64-bit integers",
      "half",           "bfloat16",        "float",           "double"};
  return names[static_cast<int>(type)];
}

namespace {

// Whether the words are those of a number's type: a class's name may contain one ("Point" an int),
// and so may its arguments ("Pair<float, int>").
bool names_number(const std::string& pointee) {
  static const std::regex other(
      "const|volatile|unsigned|signed|long|short|char|int|float|double|bool|half|std|size_t|"
      "u?int(8|16|32|64)_t|u(char|short|int|long)|u?(char|short|int|long|longlong)[1-4]|"
      "(float|double|half)[1-4]|_Float16|__fp16|__half2?|(__hip_|__nv_|hip_)?bfloat16[2]?|"
      "HIP_vector_type|[0-9]+U?");
  static const std::regex word("[A-Za-z0-9_]+");
  const std::sregex_iterator begin(pointee.begin(), pointee.end(), word), end;
  return std::all_of(begin, end,
                     [](const std::smatch& match) { return std::regex_match(match.str(), other); });
}

}  // namespace

std::optional<ElementType> element_from_type(const std::string& type) {
  const auto star = type.find('*');
  if (star == std::string::npos) return std::nullopt;
  const std::string pointee = type.substr(0, star);
  if (!names_number(pointee)) return std::nullopt;
  const auto has = [&](const char* word) { return pointee.find(word) != std::string::npos; };
  // Longer words before the words that they contain.
  static constexpr std::pair<const char*, ElementType> words[] = {
      {"bfloat16", ElementType::bf16}, {"half", ElementType::f16},   {"_Float16", ElementType::f16},
      {"__fp16", ElementType::f16},    {"double", ElementType::f64}, {"float", ElementType::f32},
      {"long", ElementType::u64},      {"int64", ElementType::u64},  {"size_t", ElementType::u64},
      {"char", ElementType::u8},       {"int8", ElementType::u8},    {"bool", ElementType::u8},
      {"short", ElementType::u16},     {"int16", ElementType::u16},  {"int", ElementType::u32},
      {"unsigned", ElementType::u32}};
  for (const auto& [word, element] : words) {
    if (has(word)) return element;
  }
  return std::nullopt;
}

ElementType guess_element(std::span<const std::byte> contents) {
  if (contents.size() % 4 == 0 && reads_as<float>(contents)) {
    // A double's low half is arbitrary bits: as floats such data is implausible, unless it is
    // round numbers, whose low halves are zero.
    return ElementType::f32;
  }
  if (contents.size() % 8 == 0 && reads_as<double>(contents)) return ElementType::f64;
  if (reads_as_long(contents)) return ElementType::u64;
  if (reads_as_int(contents)) return ElementType::u32;
  return contents.size() % 4 == 0 ? ElementType::u32 : ElementType::u8;
}

ElementType guess_element(std::span<const std::byte> contents, ElementType declared) {
  // Two such numbers may read as one plausible float, the lower one of which is then lost.
  const bool small = declared == ElementType::f16 || declared == ElementType::bf16;
  const std::size_t count = contents.size() / 2;
  if (!small || count == 0) return guess_element(contents);
  const std::size_t step = std::max<std::size_t>(1, count / kSample);
  std::size_t seen = 0, good = 0;
  for (std::size_t i = 0; i < count; i += step) {
    const double value = element_at(contents, declared, i);
    ++seen;
    good += plausible(value) || std::isinf(value);
  }
  return good * 100 >= seen * 98 ? declared : guess_element(contents);
}

double element_at(std::span<const std::byte> contents, ElementType type, std::size_t at) {
  switch (type) {
    case ElementType::u8:
      return load<std::uint8_t>(contents, at);
    case ElementType::u16:
      return load<std::uint16_t>(contents, at);
    case ElementType::u32:
      return load<std::int32_t>(contents, at);
    case ElementType::u64:
      return static_cast<double>(load<std::int64_t>(contents, at));
    case ElementType::f16:
      return from_half(load<std::uint16_t>(contents, at));
    case ElementType::bf16:
      return from_bfloat(load<std::uint16_t>(contents, at));
    case ElementType::f32:
      return load<float>(contents, at);
    case ElementType::f64:
      return load<double>(contents, at);
  }
  return 0;
}

void set_element(std::span<std::byte> contents, ElementType type, std::size_t at, double value) {
  switch (type) {
    case ElementType::u8:
      store(contents, at, static_cast<std::uint8_t>(value));
      break;
    case ElementType::u16:
      store(contents, at, static_cast<std::uint16_t>(value));
      break;
    case ElementType::u32:
      store(contents, at, static_cast<std::uint32_t>(static_cast<std::int64_t>(value)));
      break;
    case ElementType::u64:
      store(contents, at, static_cast<std::int64_t>(value));
      break;
    case ElementType::f16:
      store(contents, at, to_half(static_cast<float>(value)));
      break;
    case ElementType::bf16:
      store(contents, at, to_bfloat(static_cast<float>(value)));
      break;
    case ElementType::f32:
      store(contents, at, static_cast<float>(value));
      break;
    case ElementType::f64:
      store(contents, at, value);
      break;
  }
}

}  // namespace geak::replay
