// One kernel for each way by which a kernel reaches memory, each launched once on data that a wrong
// address or a missing buffer would change.
#include <hip/hip_ext.h>
#include <hip/hip_runtime.h>

#include <cstdio>
#include <vector>

constexpr int kCount = 300;

struct Pair {
  const float* in;
  int count;
  float* out;
};

__constant__ float factors[3];
__device__ float* remembered;

__global__ void from_array_of_pointers(float* const* rows, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCount) out[i] = rows[i % 3][i] + 1;
}
__global__ void from_struct(Pair pair) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < pair.count) pair.out[i] = pair.in[i] * 2;
}
__global__ void from_struct_in_memory(const Pair* pair) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < pair->count) pair->out[i] = pair->in[i] * 3;
}
__global__ void from_constant(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCount) out[i] = in[i] * factors[i % 3];
}
__global__ void from_global_pointer(const float* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCount) remembered[i] = in[i] - 1;
}
__global__ void from_middle(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCount / 2) out[i] = in[i] + in[-1 - i];
}
__global__ void plain(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCount) out[i] = in[i] * in[i];
}
__global__ void managed(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCount) out[i] = in[i] / 3;
}
__global__ void mapped_host(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCount) out[i] = in[i] - 7;
}
__global__ void pitched(const char* in, size_t pitch, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCount) out[i] = reinterpret_cast<const float*>(in + (i % 4) * pitch)[i / 4];
}

static void check(hipError_t status, int line = __builtin_LINE()) {
  if (status == hipSuccess) return;
  std::fprintf(stderr, "kinds.hip:%d: %s\n", line, hipGetErrorString(status));
  std::exit(3);
}

template <typename T>
static T* filled(T* memory, size_t count, float start) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = start + 0.37f * static_cast<float>(i);
  check(hipMemcpy(memory, values.data(), count * sizeof(float), hipMemcpyDefault));
  return memory;
}

static float* device(float start) {
  float* memory = nullptr;
  check(hipMalloc(reinterpret_cast<void**>(&memory), kCount * sizeof(float)));
  return filled(memory, kCount, start);
}

int main() {
  const dim3 grid((kCount + 63) / 64), block(64);
  float* rows[3] = {device(1), device(100), device(-50)};
  float** table = nullptr;
  check(hipMalloc(reinterpret_cast<void**>(&table), sizeof rows));
  check(hipMemcpy(table, rows, sizeof rows, hipMemcpyHostToDevice));
  from_array_of_pointers<<<grid, block>>>(table, device(0));

  const Pair pair{device(5), kCount, device(0)};
  from_struct<<<grid, block>>>(pair);
  Pair* stored = nullptr;
  check(hipMalloc(reinterpret_cast<void**>(&stored), sizeof pair));
  check(hipMemcpy(stored, &pair, sizeof pair, hipMemcpyHostToDevice));
  from_struct_in_memory<<<grid, block>>>(stored);

  const float values[3] = {0.5f, -2.0f, 1.25f};
  check(hipMemcpyToSymbol(HIP_SYMBOL(factors), values, sizeof values));
  from_constant<<<grid, block>>>(device(2), device(0));
  float* target = device(0);
  check(hipMemcpyToSymbol(HIP_SYMBOL(remembered), &target, sizeof target));
  from_global_pointer<<<grid, block>>>(device(3));
  from_middle<<<grid, block>>>(device(4) + kCount / 2, device(0));

  hipStream_t stream;
  check(hipStreamCreate(&stream));
  float* async = nullptr;
  check(hipMallocAsync(reinterpret_cast<void**>(&async), kCount * sizeof(float), stream));
  check(hipStreamSynchronize(stream));
  filled(async, kCount, 6);
  float* out = device(0);
  void* arguments[] = {&async, &out};
  check(hipExtLaunchKernel(reinterpret_cast<void*>(plain), grid, block, arguments, 0, stream, nullptr,
                           nullptr, 0));
  check(hipStreamSynchronize(stream));

  float* shared = nullptr;
  check(hipMallocManaged(reinterpret_cast<void**>(&shared), kCount * sizeof(float)));
  for (int i = 0; i < kCount; ++i) shared[i] = 8 + 0.5f * static_cast<float>(i);
  managed<<<grid, block>>>(shared, device(0));
  float* host = nullptr;
  check(hipHostMalloc(reinterpret_cast<void**>(&host), kCount * sizeof(float), 0));
  for (int i = 0; i < kCount; ++i) host[i] = 9 + 0.25f * static_cast<float>(i);
  mapped_host<<<grid, block>>>(host, device(0));
  char* pitched_memory = nullptr;
  size_t pitch = 0;
  check(hipMallocPitch(reinterpret_cast<void**>(&pitched_memory), &pitch, kCount / 4 * sizeof(float), 4));
  filled(pitched_memory, pitch, 10);  // pitch * 4 bytes
  pitched<<<grid, block>>>(pitched_memory, pitch, device(0));
  check(hipDeviceSynchronize());
  return 0;
}
