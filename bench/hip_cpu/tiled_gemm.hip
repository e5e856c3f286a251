// C = A * B of square matrices, in tiles of 16 x 16 that a workgroup brings to LDS.
#include "../common/sample.h"

#include <vector>

constexpr unsigned kTile = 16;

__global__ void tiled_gemm(const float* a, const float* b, float* c, unsigned size) {
  __shared__ float tile_a[kTile][kTile];
  __shared__ float tile_b[kTile][kTile];
  const unsigned row = blockIdx.y * kTile + threadIdx.y;
  const unsigned column = blockIdx.x * kTile + threadIdx.x;
  float sum = 0;
  for (unsigned first = 0; first < size; first += kTile) {
    tile_a[threadIdx.y][threadIdx.x] = a[row * size + first + threadIdx.x];
    tile_b[threadIdx.y][threadIdx.x] = b[(first + threadIdx.y) * size + column];
    __syncthreads();
    for (unsigned k = 0; k < kTile; ++k) sum += tile_a[threadIdx.y][k] * tile_b[k][threadIdx.x];
    __syncthreads();
  }
  c[row * size + column] = sum;
}

int main(int argc, char** argv) {
  const sample::Options options =
      sample::parse_options(argc, argv, 256, kTile, 4096, "rows, a multiple of 16");
  const unsigned size = options.size / kTile * kTile;
  const std::size_t count = std::size_t{size} * size, bytes = count * sizeof(float);
  std::vector<float> a(count), b(count), result(count);
  for (std::size_t n = 0; n < count; ++n) {
    a[n] = static_cast<float>(n * 7 % 5) - 2;
    b[n] = static_cast<float>(n * 11 % 7) - 3;
  }
  float *d_a = nullptr, *d_b = nullptr, *d_c = nullptr;
  HIP_CHECK(hipMalloc((void**)&d_a, bytes));
  HIP_CHECK(hipMalloc((void**)&d_b, bytes));
  HIP_CHECK(hipMalloc((void**)&d_c, bytes));
  HIP_CHECK(hipMemcpy(d_a, a.data(), bytes, hipMemcpyHostToDevice));
  HIP_CHECK(hipMemcpy(d_b, b.data(), bytes, hipMemcpyHostToDevice));
  sample::EventTimer timer;
  timer.start();
  tiled_gemm<<<dim3(size / kTile, size / kTile), dim3(kTile, kTile)>>>(d_a, d_b, d_c, size);
  const float ms = timer.stop_ms();
  HIP_CHECK(hipMemcpy(result.data(), d_c, bytes, hipMemcpyDeviceToHost));
  bool passed = true;
  for (unsigned row = 0; row < size; row += 13) {
    for (unsigned column = 0; column < size; column += 11) {
      float expected = 0;
      for (unsigned k = 0; k < size; ++k)
        expected += a[std::size_t{row} * size + k] * b[std::size_t{k} * size + column];
      passed = passed && result[std::size_t{row} * size + column] == expected;
    }
  }
  return sample::report("tiled_gemm", passed, ms) ? 0 : 1;
}
