// Histogram of bytes: each block counts its part in LDS, the host adds the blocks' bins.
#include "../common/sample.h"

#include <random>
#include <vector>

constexpr unsigned kBins = 256;
constexpr unsigned kBlock = 256;

// One thread counts items_per_thread neighbouring bytes; block_bins holds kBins counts a block.
__global__ void histogram(unsigned char* data, unsigned* block_bins, int items_per_thread) {
  __shared__ unsigned bins[kBins];
  for (unsigned bin = threadIdx.x; bin < kBins; bin += blockDim.x) bins[bin] = 0;
  __syncthreads();

  const size_t first = (size_t(blockIdx.x) * blockDim.x + threadIdx.x) * items_per_thread;
  for (int i = 0; i < items_per_thread; ++i) {
    atomicAdd(&bins[data[first + i]], 1u);
  }
  __syncthreads();

  for (unsigned bin = threadIdx.x; bin < kBins; bin += blockDim.x) {
    block_bins[blockIdx.x * kBins + bin] = bins[bin];
  }
}

static bool count_and_check(const char* name, const std::vector<unsigned char>& bytes,
                            int items_per_thread) {
  const unsigned blocks = static_cast<unsigned>(bytes.size() / (size_t(kBlock) * items_per_thread));
  unsigned char* data = nullptr;
  unsigned* block_bins = nullptr;
  HIP_CHECK(hipMalloc(&data, bytes.size()));
  HIP_CHECK(hipMalloc(&block_bins, size_t(blocks) * kBins * sizeof(unsigned)));
  HIP_CHECK(hipMemcpy(data, bytes.data(), bytes.size(), hipMemcpyHostToDevice));

  sample::EventTimer timer;
  timer.start();
  histogram<<<dim3(blocks), dim3(kBlock)>>>(data, block_bins, items_per_thread);
  HIP_CHECK(hipGetLastError());
  const float ms = timer.stop_ms();

  std::vector<unsigned> result(size_t(blocks) * kBins);
  HIP_CHECK(hipMemcpy(result.data(), block_bins, result.size() * sizeof(unsigned),
                      hipMemcpyDeviceToHost));
  HIP_CHECK(hipFree(data));
  HIP_CHECK(hipFree(block_bins));

  std::vector<unsigned> counts(kBins);
  for (size_t i = 0; i < result.size(); ++i) counts[i % kBins] += result[i];
  std::vector<unsigned> expected(kBins);
  for (unsigned char byte : bytes) ++expected[byte];
  return sample::report(name, counts == expected, ms);
}

int main(int argc, char** argv) {
  const int items_per_thread = 64;
  const unsigned unit = kBlock * items_per_thread;
  const sample::Options options = sample::parse_options(argc, argv, 1u << 24, unit, 1u << 30,
                                                        "bytes to count, a multiple of 16384");
  if (options.size % unit != 0) {
    std::fprintf(stderr, "histogram: --size %u is no multiple of %u\n", options.size, unit);
    return 2;
  }
  std::mt19937 random(options.seed);
  std::vector<unsigned char> uniform(options.size);
  for (unsigned char& byte : uniform) byte = static_cast<unsigned char>(random());
  std::vector<unsigned char> skewed(options.size);  // nine bytes of ten are equal
  for (unsigned char& byte : skewed)
    byte = random() % 10 == 0 ? static_cast<unsigned char>(random()) : 77;

  const bool uniform_passed = count_and_check("uniform", uniform, items_per_thread);
  const bool skewed_passed = count_and_check("skewed", skewed, items_per_thread);
  return uniform_passed && skewed_passed ? 0 : 1;
}
