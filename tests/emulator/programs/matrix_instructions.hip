// Matrix instructions against matrices multiplied by the host: each lane passes its elements by the
// layouts of AMD's matrix instruction calculator, and all lanes' results must form A * B + C.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "check.h"

typedef float f32x4 __attribute__((ext_vector_type(4)));
typedef float f32x16 __attribute__((ext_vector_type(16)));
typedef float f32x32 __attribute__((ext_vector_type(32)));
typedef int i32x4 __attribute__((ext_vector_type(4)));
typedef int i32x16 __attribute__((ext_vector_type(16)));
typedef _Float16 f16x4 __attribute__((ext_vector_type(4)));
typedef short i16x4 __attribute__((ext_vector_type(4)));
typedef double f64x4 __attribute__((ext_vector_type(4)));

// Every kernel gets its operands as one dword array a register: in[register * 64 + lane].
template <class V>
__device__ V fetch(const uint32_t* in, unsigned reg) {
  union {
    V value;
    uint32_t words[sizeof(V) / 4];
  } u;
  for (unsigned n = 0; n < sizeof(V) / 4; ++n) u.words[n] = in[(reg + n) * 64 + threadIdx.x];
  return u.value;
}
template <class V>
__device__ void put(uint32_t* out, V value) {
  union {
    V value;
    uint32_t words[sizeof(V) / 4];
  } u;
  u.value = value;
  for (unsigned n = 0; n < sizeof(V) / 4; ++n) out[n * 64 + threadIdx.x] = u.words[n];
}

#define KERNEL(name, AB, CD, builtin, ...)                                                     \
  __global__ void name(const uint32_t* a, const uint32_t* b, const uint32_t* c, uint32_t* d) { \
    put(d, builtin(fetch<AB>(a, 0), fetch<AB>(b, 0), fetch<CD>(c, 0), __VA_ARGS__));           \
  }
KERNEL(f32_32x32x2, float, f32x16, __builtin_amdgcn_mfma_f32_32x32x2f32, 0, 0, 0)
KERNEL(f32_16x16x4, float, f32x4, __builtin_amdgcn_mfma_f32_16x16x4f32, 0, 0, 0)
KERNEL(f32_32x32x1, float, f32x32, __builtin_amdgcn_mfma_f32_32x32x1f32, 0, 0, 0)
KERNEL(f32_16x16x1, float, f32x16, __builtin_amdgcn_mfma_f32_16x16x1f32, 0, 0, 0)
KERNEL(f32_4x4x1, float, f32x4, __builtin_amdgcn_mfma_f32_4x4x1f32, 0, 0, 0)
KERNEL(f16_32x32x8, f16x4, f32x16, __builtin_amdgcn_mfma_f32_32x32x8f16, 0, 0, 0)
KERNEL(f16_16x16x16, f16x4, f32x4, __builtin_amdgcn_mfma_f32_16x16x16f16, 0, 0, 0)
KERNEL(f16_4x4x4, f16x4, f32x4, __builtin_amdgcn_mfma_f32_4x4x4f16, 0, 0, 0)
KERNEL(bf16_32x32x8, i16x4, f32x16, __builtin_amdgcn_mfma_f32_32x32x8bf16_1k, 0, 0, 0)
KERNEL(i8_32x32x8, int, i32x16, __builtin_amdgcn_mfma_i32_32x32x8i8, 0, 0, 0)
KERNEL(i8_16x16x16, int, i32x4, __builtin_amdgcn_mfma_i32_16x16x16i8, 0, 0, 0)
KERNEL(f64_16x16x4, double, f64x4, __builtin_amdgcn_mfma_f64_16x16x4f64, 0, 0, 0)
KERNEL(f64_4x4x4, double, double, __builtin_amdgcn_mfma_f64_4x4x4f64, 0, 0, 0)

enum class Type { f32, f16, bf16, i8, f64 };

struct Shape {
  Type type;
  int size, depth, blocks, per_lane;
};

struct Case {
  const char* name;
  void (*kernel)(const uint32_t*, const uint32_t*, const uint32_t*, uint32_t*);
  Shape shape;
};

int bytes_of(Type type) {
  return type == Type::f64 ? 8 : type == Type::f32 ? 4 : type == Type::i8 ? 1 : 2;
}

// Small integers, exact in every type.
void encode(Type type, int value, unsigned char* to) {
  if (type == Type::f64) {
    const double v = value;
    std::memcpy(to, &v, 8);
  } else if (type == Type::i8) {
    *to = static_cast<unsigned char>(value);
  } else if (type == Type::f16) {
    const _Float16 v = static_cast<_Float16>(static_cast<float>(value));
    std::memcpy(to, &v, 2);
  } else {
    const float v = static_cast<float>(value);
    std::memcpy(to, reinterpret_cast<const char*>(&v) + (type == Type::bf16 ? 2 : 0),
                type == Type::bf16 ? 2 : 4);
  }
}

// Byte `n` of a lane's register tuple in the array of registers.
unsigned char* byte_at(std::vector<uint32_t>& registers, int lane, int n) {
  return reinterpret_cast<unsigned char*>(&registers[(n / 4) * 64 + lane]) + n % 4;
}

int value_of(int which, int block, int row, int column) {
  return (which * 7 + block * 5 + row * 3 + column * 11) % 9 - 4;
}

void put_operand(const Shape& s, int which, std::vector<uint32_t>& registers) {
  for (int block = 0; block < s.blocks; ++block) {
    for (int i = 0; i < s.size; ++i) {
      for (int k = 0; k < s.depth; ++k) {
        int lane = s.blocks > 1 ? i + s.size * block : i + s.size * (k / s.per_lane);
        if (s.type == Type::f64 && s.size == 4) lane = i + 4 * block + 16 * k;
        unsigned char encoded[8];
        encode(s.type, which == 0 ? value_of(0, block, i, k) : value_of(1, block, k, i), encoded);
        for (int n = 0; n < bytes_of(s.type); ++n)
          *byte_at(registers, lane, (k % s.per_lane) * bytes_of(s.type) + n) = encoded[n];
      }
    }
  }
}

// Lane and first register of D[i][j].
void place_of(const Shape& s, int block, int i, int j, int& lane, int& reg) {
  if (s.type == Type::f64) {
    lane = s.size == 4 ? j + 4 * block + 16 * i : j + 16 * (i % 4);
    reg = s.size == 4 ? 0 : 2 * (i / 4);
  } else if (s.size == 4) {
    lane = j + 4 * block;
    reg = i;
  } else if (s.size == 16) {
    lane = j + 16 * (i / 4);
    reg = i % 4 + 4 * block;
  } else {
    lane = j + 32 * (i / 4 % 2);
    reg = i % 4 + 4 * (i / 8) + 16 * block;
  }
}

double read_result(const Shape& s, const std::vector<uint32_t>& d, int lane, int reg) {
  if (s.type == Type::f64) {
    const uint64_t bits = d[reg * 64 + lane] | uint64_t{d[(reg + 1) * 64 + lane]} << 32;
    double value;
    std::memcpy(&value, &bits, 8);
    return value;
  }
  if (s.type == Type::i8) return static_cast<int>(d[reg * 64 + lane]);
  float value;
  std::memcpy(&value, &d[reg * 64 + lane], 4);
  return value;
}

void check(const Case& test) {
  const Shape& s = test.shape;
  std::vector<uint32_t> a(4 * 64), b(4 * 64), c(32 * 64), d(32 * 64);
  put_operand(s, 0, a);
  put_operand(s, 1, b);
  for (std::size_t n = 0; n < c.size(); ++n) {
    const float value = static_cast<float>(n % 13);
    if (s.type == Type::i8) c[n] = n % 13;
    if (s.type != Type::i8 && s.type != Type::f64) std::memcpy(&c[n], &value, 4);
  }
  uint32_t* device[4];
  std::vector<uint32_t>* host[4] = {&a, &b, &c, &d};
  for (int n = 0; n < 4; ++n) {
    HIP_CHECK(hipMalloc(&device[n], host[n]->size() * 4));
    HIP_CHECK(hipMemcpy(device[n], host[n]->data(), host[n]->size() * 4, hipMemcpyHostToDevice));
  }
  test.kernel<<<1, 64>>>(device[0], device[1], device[2], device[3]);
  HIP_CHECK(hipMemcpy(d.data(), device[3], d.size() * 4, hipMemcpyDeviceToHost));
  for (int block = 0; block < s.blocks; ++block) {
    for (int i = 0; i < s.size; ++i) {
      for (int j = 0; j < s.size; ++j) {
        int lane, reg;
        place_of(s, block, i, j, lane, reg);
        double expected = read_result(s, c, lane, reg);
        for (int k = 0; k < s.depth; ++k)
          expected += value_of(0, block, i, k) * value_of(1, block, k, j);
        if (read_result(s, d, lane, reg) == expected) continue;
        std::fprintf(stderr, "%s: block %d, D[%d][%d] is %g, expected %g\n", test.name, block, i, j,
                     read_result(s, d, lane, reg), expected);
        std::exit(1);
      }
    }
  }
  for (uint32_t* each : device) HIP_CHECK(hipFree(each));
}

int main() {
  const Case cases[] = {
      {"f32 32x32x2", f32_32x32x2, {Type::f32, 32, 2, 1, 1}},
      {"f32 16x16x4", f32_16x16x4, {Type::f32, 16, 4, 1, 1}},
      {"f32 32x32x1", f32_32x32x1, {Type::f32, 32, 1, 2, 1}},
      {"f32 16x16x1", f32_16x16x1, {Type::f32, 16, 1, 4, 1}},
      {"f32 4x4x1", f32_4x4x1, {Type::f32, 4, 1, 16, 1}},
      {"f16 32x32x8", f16_32x32x8, {Type::f16, 32, 8, 1, 4}},
      {"f16 16x16x16", f16_16x16x16, {Type::f16, 16, 16, 1, 4}},
      {"f16 4x4x4", f16_4x4x4, {Type::f16, 4, 4, 16, 4}},
      {"bf16 32x32x8", bf16_32x32x8, {Type::bf16, 32, 8, 1, 4}},
      {"i8 32x32x8", i8_32x32x8, {Type::i8, 32, 8, 1, 4}},
      {"i8 16x16x16", i8_16x16x16, {Type::i8, 16, 16, 1, 4}},
      {"f64 16x16x4", f64_16x16x4, {Type::f64, 16, 4, 1, 1}},
      {"f64 4x4x4", f64_4x4x4, {Type::f64, 4, 4, 4, 1}},
  };
  for (const Case& test : cases) check(test);
}
