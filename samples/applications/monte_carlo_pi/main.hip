// Pi by counting random points of the unit square that lie inside the quarter circle.
#include "../common/sample.h"

#include <cmath>
#include <vector>

constexpr unsigned kBlock = 256;
constexpr float kTwoToMinus24 = 1.0f / 16777216.0f;

// Mixes a counter into a random word (a finaliser in the manner of MurmurHash3).
__host__ __device__ inline unsigned mix(unsigned x) {
  x ^= x >> 16;
  x *= 0x85ebca6bu;
  x ^= x >> 13;
  x *= 0xc2b2ae35u;
  x ^= x >> 16;
  return x;
}

// One step of Marsaglia's 32-bit xorshift; state is never zero.
__host__ __device__ inline unsigned next_random(unsigned& state) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}

__host__ __device__ inline unsigned points_inside(unsigned seed, unsigned thread, unsigned points) {
  unsigned state = mix(seed + thread) | 1u;
  unsigned inside = 0;
  for (unsigned i = 0; i < points; ++i) {
    const float x = (next_random(state) >> 8) * kTwoToMinus24;
    const float y = (next_random(state) >> 8) * kTwoToMinus24;
    if (x * x + y * y < 1.0f) ++inside;
  }
  return inside;
}

// Each thread draws its points; the block's count is reduced in LDS.
__global__ void sample_points(unsigned* block_counts, unsigned seed, unsigned points_per_thread) {
  __shared__ unsigned counts[kBlock];
  counts[threadIdx.x] =
      points_inside(seed, blockIdx.x * blockDim.x + threadIdx.x, points_per_thread);
  __syncthreads();
  for (unsigned width = blockDim.x / 2; width > 0; width /= 2) {
    if (threadIdx.x < width) counts[threadIdx.x] += counts[threadIdx.x + width];
    __syncthreads();
  }
  if (threadIdx.x == 0) block_counts[blockIdx.x] = counts[0];
}

// One block adds all blocks' counts.
__global__ void sum_counts(const unsigned* block_counts, unsigned blocks,
                           unsigned long long* total) {
  __shared__ unsigned long long sums[kBlock];
  unsigned long long sum = 0;
  for (unsigned i = threadIdx.x; i < blocks; i += blockDim.x) sum += block_counts[i];
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (unsigned width = blockDim.x / 2; width > 0; width /= 2) {
    if (threadIdx.x < width) sums[threadIdx.x] += sums[threadIdx.x + width];
    __syncthreads();
  }
  if (threadIdx.x == 0) *total = sums[0];
}

// A point on the circle itself may fall on either side, by rounding (the GPU fuses x * x + y * y);
// so a block may differ by two from the CPU's count, but no block may be missing.
static bool counts_match(const std::vector<unsigned>& counts, unsigned seed, unsigned points) {
  for (size_t block = 0; block < counts.size(); ++block) {
    unsigned expected = 0;
    for (unsigned thread = 0; thread < kBlock; ++thread) {
      expected += points_inside(seed, static_cast<unsigned>(block) * kBlock + thread, points);
    }
    const unsigned difference =
        counts[block] > expected ? counts[block] - expected : expected - counts[block];
    if (difference > 2) return false;
  }
  return true;
}

int main(int argc, char** argv) {
  const unsigned points_per_thread = 64;
  const unsigned unit = kBlock * points_per_thread;
  const sample::Options options =
      sample::parse_options(argc, argv, 1u << 23, unit, 1u << 31, "points, a multiple of 16384");
  if (options.size % unit != 0) {
    std::fprintf(stderr, "monte_carlo_pi: --size %u is no multiple of %u\n", options.size, unit);
    return 2;
  }
  const unsigned blocks = options.size / unit;

  unsigned* block_counts = nullptr;
  unsigned long long* d_total = nullptr;
  HIP_CHECK(hipMalloc(&block_counts, blocks * sizeof(unsigned)));
  HIP_CHECK(hipMalloc(&d_total, sizeof(unsigned long long)));

  sample::EventTimer timer;
  timer.start();
  sample_points<<<dim3(blocks), dim3(kBlock)>>>(block_counts, options.seed, points_per_thread);
  HIP_CHECK(hipGetLastError());
  sum_counts<<<dim3(1), dim3(kBlock)>>>(block_counts, blocks, d_total);
  HIP_CHECK(hipGetLastError());
  const float ms = timer.stop_ms();

  std::vector<unsigned> counts(blocks);
  unsigned long long total = 0;
  HIP_CHECK(
      hipMemcpy(counts.data(), block_counts, blocks * sizeof(unsigned), hipMemcpyDeviceToHost));
  HIP_CHECK(hipMemcpy(&total, d_total, sizeof(total), hipMemcpyDeviceToHost));
  HIP_CHECK(hipFree(block_counts));
  HIP_CHECK(hipFree(d_total));

  unsigned long long sum = 0;
  for (unsigned count : counts) sum += count;
  const double pi = 4.0 * double(total) / options.size;
  std::printf("pi is about %.6f\n", pi);
  const bool passed = sum == total && counts_match(counts, options.seed, points_per_thread) &&
                      std::abs(pi - 3.14159265) < 10.0 / std::sqrt(double(options.size));
  return sample::report("random points", passed, ms) ? 0 : 1;
}
