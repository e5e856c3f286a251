// Bitonic sort: one launch for each compare-exchange stage of each step.
#include "../common/sample.h"

#include <algorithm>
#include <random>
#include <vector>

// Step s makes bitonic runs of 2^(s+1) values; its stages compare at distances 2^s down to 1.
// One thread handles one pair.
__global__ void bitonic_sort(unsigned* array, unsigned step, unsigned stage, bool increasing) {
  const unsigned pair = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned distance = 1u << (step - stage);
  const unsigned left = (pair / distance) * distance * 2 + pair % distance;
  const unsigned right = left + distance;

  // Neighbouring runs are sorted in opposite directions, so that the next step finds them bitonic.
  const unsigned run_width = 1u << step;
  const bool up = (pair / run_width) % 2 == 0 ? increasing : !increasing;

  const unsigned a = array[left];
  const unsigned b = array[right];
  const unsigned smaller = a < b ? a : b;
  const unsigned larger = a < b ? b : a;
  array[left] = up ? smaller : larger;
  array[right] = up ? larger : smaller;
}

static bool sort_and_check(const char* name, const std::vector<unsigned>& input, bool increasing) {
  const unsigned length = static_cast<unsigned>(input.size());
  unsigned steps = 0;
  while ((1u << steps) < length) ++steps;
  const unsigned pairs = length / 2;
  const unsigned block = pairs < 256 ? pairs : 256;

  unsigned* array = nullptr;
  HIP_CHECK(hipMalloc(&array, length * sizeof(unsigned)));
  HIP_CHECK(hipMemcpy(array, input.data(), length * sizeof(unsigned), hipMemcpyHostToDevice));

  sample::EventTimer timer;
  timer.start();
  for (unsigned step = 0; step < steps; ++step) {
    for (unsigned stage = 0; stage <= step; ++stage) {
      bitonic_sort<<<dim3(pairs / block), dim3(block)>>>(array, step, stage, increasing);
      HIP_CHECK(hipGetLastError());
    }
  }
  const float ms = timer.stop_ms();

  std::vector<unsigned> output(length);
  HIP_CHECK(hipMemcpy(output.data(), array, length * sizeof(unsigned), hipMemcpyDeviceToHost));
  HIP_CHECK(hipFree(array));

  std::vector<unsigned> expected = input;
  std::sort(expected.begin(), expected.end());
  if (!increasing) std::reverse(expected.begin(), expected.end());
  return sample::report(name, output == expected, ms);
}

int main(int argc, char** argv) {
  const sample::Options options =
      sample::parse_options(argc, argv, 1u << 15, 2, 1u << 28, "values to sort, a power of two");
  if ((options.size & (options.size - 1)) != 0) {
    std::fprintf(stderr, "bitonic_sort: --size %u is no power of two\n", options.size);
    return 2;
  }
  std::mt19937 random(options.seed);
  std::vector<unsigned> uniform(options.size);
  for (unsigned& value : uniform) value = random();
  std::vector<unsigned> skewed(options.size);  // many equal values, few large ones
  for (unsigned& value : skewed) value = random() % 10 == 0 ? random() : random() % 16;

  const bool uniform_passed = sort_and_check("uniform, increasing", uniform, true);
  const bool skewed_passed = sort_and_check("skewed, decreasing", skewed, false);
  return uniform_passed && skewed_passed ? 0 : 1;
}
