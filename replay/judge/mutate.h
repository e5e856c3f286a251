// Fresh values for recorded memory.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "replay/judge/element_type.h"

namespace geak::replay {

// How far fresh values go from the recorded ones.
enum class Freshness {
  drawn,     // new values within the range of the recorded ones
  permuted,  // the recorded values in another order
  nudged,    // each floating-point value changed a little, integers as recorded
};

// Replaces the elements in place. What looks like structure stays valid: sorted data stays sorted
// (integers that are sorted, row starts for instance, stay as they are), integers stay within
// [smallest, largest] of the recorded ones, so that an index stays an index, constants stay. Words
// listed in `pinned` (byte offsets of stored addresses, ascending) are kept.
// Returns whether anything changed.
bool make_fresh(std::span<std::byte> contents, ElementType type, Freshness freshness,
                std::span<const std::uint64_t> pinned, std::mt19937_64& random);

// Changes the last bits of each floating-point element by one unit; for measuring how
// sensitive a kernel is. False where there is none.
bool jitter_last_bits(std::span<std::byte> contents, ElementType type,
                      std::span<const std::uint64_t> pinned, std::mt19937_64& random);

// Fills with one of several patterns; `pattern` counts them, any number is valid.
void poison(std::span<std::byte> contents, unsigned pattern);

}  // namespace geak::replay
