#include "tests/emulator/isa/edge_values.h"

namespace geak::emulator::testing {
namespace {

const std::vector<u64> kHalves = {0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x83ff, 0x0400, 0x8400,
                                  0x3800, 0xb800, 0x3c00, 0xbc00, 0x3c01, 0x3bff, 0x4000, 0xc000,
                                  0x4248, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7c01, 0x7e00, 0xfe01,
                                  0x5640, 0x6400, 0x7800, 0xf801, 0x1400, 0x2e66};
const std::vector<u64> kSingles = {
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000,
    0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000, 0x3f800001, 0x3f7fffff, 0x40000000, 0xc0400000,
    0x40490fdb, 0x4b000000, 0x4b7fffff, 0xcb000001, 0x4f000000, 0xcf000000, 0x4f800000, 0x4effffff,
    0x5f000000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7f800001, 0xff801234, 0x7fc00000,
    0xffc01234, 0x3fc00000, 0x40200000, 0xc0600000, 0x42f70a3d, 0x477fe000, 0x477ff000, 0x33800000,
    0x38800000, 0x3eaaaaab, 0x20000000, 0x60000000, 0x437f0000, 0x46fffe00};
const std::vector<u64> kDoubles = {
    0x0000000000000000, 0x8000000000000000, 0x0000000000000001, 0x8000000000000001,
    0x000fffffffffffff, 0x0010000000000000, 0x8010000000000000, 0x3fe0000000000000,
    0xbfe0000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x3ff0000000000001,
    0x3fefffffffffffff, 0x4000000000000000, 0xc008000000000000, 0x400921fb54442d18,
    0x41dfffffffc00000, 0x41e0000000000000, 0xc1e0000000000000, 0xc1e0000000200000,
    0x41efffffffe00000, 0x41f0000000000000, 0x4330000000000000, 0x4340000000000000,
    0x7fefffffffffffff, 0xffefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000,
    0x7ff0000000000001, 0x7ff8000000000000, 0xfff8000000001234, 0x36a0000000000000,
    0x3690000000000000, 0x380fffffe0000000, 0x47efffffe0000000, 0x47effffff0000000,
    0x3ff8000000000000, 0x4004000000000000, 0x3fd5555555555555, 0x4120000000000000};
const std::vector<u64> kShorts = {0,      1,      2,      15,     16,     0x7f,
                                  0x80,   0xff,   0x100,  0x7ffe, 0x7fff, 0x8000,
                                  0x8001, 0xfffe, 0xffff, 0x5555, 0xaaaa, 0x1234};
const std::vector<u64> kWords = {
    0,          1,          2,          3,          31,         32,         33,
    0x7f,       0x80,       0xff,       0x100,      0x7fff,     0x8000,     0xffff,
    0x10000,    0x7fffff,   0x800000,   0xffffff,   0x1000000,  0x7ffffffe, 0x7fffffff,
    0x80000000, 0x80000001, 0xfffffffe, 0xffffffff, 0x55555555, 0xaaaaaaaa, 0x12345678,
    0xdeadbeef, 0x00ff00ff, 0x80808080, 0x0c0d0b08, 0x7f807f80, 0x0000fffe};
const std::vector<u64> kLongs = {0,
                                 1,
                                 63,
                                 64,
                                 0x7fffffff,
                                 0x80000000,
                                 0xffffffff,
                                 0x100000000,
                                 0x7fffffffffffffff,
                                 0x8000000000000000,
                                 0x8000000000000001,
                                 0xfffffffffffffffe,
                                 0xffffffffffffffff,
                                 0x5555555555555555,
                                 0xaaaaaaaaaaaaaaaa,
                                 0x123456789abcdef0,
                                 0xffffffff00000000,
                                 0x00ff00ff00ff00ff};
const std::vector<u64> kMasks = {0, 1};

// A random number with its exponent near 0, so that sums and products stay finite.
u64 moderate_float(Type type, u64 bits) {
  switch (type) {
    case Type::f16:
      return (bits & 0x83ff) | (12 + (bits >> 20) % 8) << 10;
    case Type::f32:
      return (bits & 0x807fffff) | (120 + (bits >> 40) % 16) << 23;
    case Type::f64:
      return (bits & 0x800fffffffffffff) | (1010 + (bits >> 55) % 32) << 52;
    default:
      return bits;
  }
}

u64 width_mask(Type type) {
  switch (type) {
    case Type::mask:
      return 1;
    case Type::b16:
    case Type::f16:
      return 0xffff;
    case Type::b32:
    case Type::f32:
      return 0xffffffff;
    default:
      return ~u64{0};
  }
}

}  // namespace

const std::vector<u64>& edge_values(Type type) {
  switch (type) {
    case Type::f16:
      return kHalves;
    case Type::f32:
      return kSingles;
    case Type::f64:
      return kDoubles;
    case Type::b16:
      return kShorts;
    case Type::b32:
      return kWords;
    case Type::b64:
      return kLongs;
    case Type::mask:
      break;
  }
  return kMasks;
}

u64 operand(Type type, Random& random) {
  const u64 choice = random.next();
  const std::vector<u64>& edges = edge_values(type);
  if (choice % 3 != 0) return edges[(choice >> 8) % edges.size()];
  const u64 bits = random.next();
  return ((choice >> 8) % 4 != 0 ? moderate_float(type, bits) : bits) & width_mask(type);
}

}  // namespace geak::emulator::testing
