// Inclusive prefix sum in place: blocks scan their parts, then what stands before a part is added.
#include "../common/sample.h"

#include <random>
#include <vector>

constexpr int kBlock = 256;
constexpr int kBlockItems = 2 * kBlock;

// Scans, in groups of kBlockItems, every offset-th value: those at (i + 1) * offset - 1.
// A thread holds two values; work-efficient scan after Blelloch.
__global__ void block_prefix_sum(float* data, int size, int offset) {
  __shared__ float values[kBlockItems];
  const int thread = threadIdx.x;
  const size_t first = size_t(blockIdx.x) * kBlockItems + 2 * thread;
  const size_t left = (first + 1) * offset - 1;
  const size_t right = (first + 2) * offset - 1;
  values[2 * thread] = left < size ? data[left] : 0.0f;
  values[2 * thread + 1] = right < size ? data[right] : 0.0f;

  // Up: every node of the tree becomes the sum of its leaves.
  int stride = 1;
  for (int nodes = kBlock; nodes > 0; nodes /= 2) {
    __syncthreads();
    if (thread < nodes) {
      values[stride * (2 * thread + 2) - 1] += values[stride * (2 * thread + 1) - 1];
    }
    stride *= 2;
  }
  // Down: what stands left of a node is added to the node between.
  for (int nodes = 1; nodes < kBlock; nodes *= 2) {
    stride /= 2;
    __syncthreads();
    if (thread < 2 * nodes - 1) {
      values[stride / 2 * (2 * thread + 3) - 1] += values[stride * (thread + 1) - 1];
    }
  }
  __syncthreads();

  if (left < size) data[left] = values[2 * thread];
  if (right < size) data[right] = values[2 * thread + 1];
}

// Adds the last value of the group before to each value of a group but its last, which
// block_prefix_sum with offset * kBlockItems has finished already. One thread handles one value.
__global__ void device_prefix_sum(float* data, int size, int offset) {
  const size_t item = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  const size_t position = (item + 1) * offset - 1;
  const size_t group = item / kBlockItems;
  if (position >= size || group == 0 || item % kBlockItems == kBlockItems - 1) return;
  data[position] += data[group * kBlockItems * offset - 1];
}

static void prefix_sum(float* data, int size) {
  std::vector<int> offsets;
  for (long long offset = 1; offset <= size; offset *= kBlockItems) {
    const int items = static_cast<int>(size / offset);
    const int blocks = (items + kBlockItems - 1) / kBlockItems;
    block_prefix_sum<<<dim3(blocks), dim3(kBlock)>>>(data, size, static_cast<int>(offset));
    HIP_CHECK(hipGetLastError());
    if (items > kBlockItems) offsets.push_back(static_cast<int>(offset));
  }
  for (size_t level = offsets.size(); level-- > 0;) {
    const int items = size / offsets[level];
    const int blocks = (items + kBlock - 1) / kBlock;
    device_prefix_sum<<<dim3(blocks), dim3(kBlock)>>>(data, size, offsets[level]);
    HIP_CHECK(hipGetLastError());
  }
}

int main(int argc, char** argv) {
  const sample::Options options =
      sample::parse_options(argc, argv, 5000000, 1, 1u << 28, "values to add up");
  const int size = static_cast<int>(options.size);

  // Small whole numbers of both signs: all sums are exact, so the check needs no tolerance.
  std::mt19937 random(options.seed);
  std::vector<float> input(size);
  for (float& value : input) value = static_cast<float>(int(random() % 17) - 8);

  float* data = nullptr;
  HIP_CHECK(hipMalloc(&data, size * sizeof(float)));
  HIP_CHECK(hipMemcpy(data, input.data(), size * sizeof(float), hipMemcpyHostToDevice));
  sample::EventTimer timer;
  timer.start();
  prefix_sum(data, size);
  const float ms = timer.stop_ms();

  std::vector<float> output(size);
  HIP_CHECK(hipMemcpy(output.data(), data, size * sizeof(float), hipMemcpyDeviceToHost));
  HIP_CHECK(hipFree(data));

  bool passed = true;
  long long sum = 0;
  for (int i = 0; i < size; ++i) {
    sum += static_cast<long long>(input[i]);
    passed = passed && output[i] == static_cast<float>(sum);
  }
  return sample::report("random values", passed, ms) ? 0 : 1;
}
