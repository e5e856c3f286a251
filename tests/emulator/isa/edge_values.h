// Operands at which instructions go wrong, and pseudo-random ones.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/emulator/isa/conformance.h"

namespace geak::emulator::testing {

const std::vector<u64>& edge_values(Type type);

// splitmix64: the same numbers in every run.
class Random {
 public:
  explicit Random(u64 seed) : state_(seed) {}
  u64 next() {
    u64 z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }

 private:
  u64 state_;
};

// An edge value or, one time in three, any bits; floating point then mostly of moderate size.
u64 operand(Type type, Random& random);

}  // namespace geak::emulator::testing
