// One kernel for each way by which a kernel reaches memory, each launched once on data that a wrong
// address or a missing buffer would change.
#include <hip/hip_ext.h>
#include <hip/hip_runtime.h>

#include <cmath>
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

__global__ void in_a_graph(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCount) out[i] = in[i] * 5 + out[i];
}
__global__ void captured(const float* in, float* out, float by) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCount) out[i] = in[i] + by;
}
__global__ void async_memory(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCount) out[i] = in[i] - 11;
}
__global__ void registered_host(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCount) out[i] = in[i] * 13;
}
__global__ void three_dimensional(const char* in, size_t pitch, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCount / 3) out[i] = reinterpret_cast<const float*>(in + (i % 6) * pitch)[i / 6];
}
__global__ void on_another_stream(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCount) out[i] = in[i] * 17;
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

// One graph of nodes, with a memory set after its kernel, and one captured.
static void run_graphs(hipStream_t stream) {
  float *in = device(31), *out = device(2), *other = device(0);
  static float start[kCount];
  for (int i = 0; i < kCount; ++i) start[i] = 0.5f * static_cast<float>(i);
  hipGraph_t graph;
  check(hipGraphCreate(&graph, 0));
  hipGraphNode_t kernel, set;
  check(hipMemcpy(in, start, sizeof start, hipMemcpyHostToDevice));
  void* arguments[] = {&in, &out};
  hipKernelNodeParams launch{};
  launch.func = reinterpret_cast<void*>(in_a_graph);
  launch.gridDim = dim3((kCount + 63) / 64);
  launch.blockDim = dim3(64);
  launch.kernelParams = arguments;
  check(hipGraphAddKernelNode(&kernel, graph, nullptr, 0, &launch));
  hipMemsetParams zero{};
  zero.dst = other;
  zero.elementSize = 4;
  zero.width = kCount;
  zero.height = 1;
  check(hipGraphAddMemsetNode(&set, graph, &kernel, 1, &zero));
  hipGraphExec_t executable;
  check(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
  check(hipGraphDestroy(graph));
  for (int i = 0; i < 3; ++i) check(hipGraphLaunch(executable, stream));
  check(hipStreamSynchronize(stream));
  // The third launch has added to what the first two left: 2 + 0.37 i + 3 * 5 * 0.5 i.
  std::vector<float> result(kCount);
  check(hipMemcpy(result.data(), out, sizeof start, hipMemcpyDeviceToHost));
  const float expected = 2 + 0.37f * 100 + 15 * 50.0f;
  if (std::abs(result[100] - expected) > 0.01f) {
    std::fprintf(stderr, "kinds.hip: the graph computed %g, not %g\n", result[100], expected);
    std::exit(4);
  }
  check(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  captured<<<(kCount + 63) / 64, 64, 0, stream>>>(in, out, 41.0f);
  check(hipStreamEndCapture(stream, &graph));
  check(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
  check(hipGraphLaunch(executable, stream));
  check(hipStreamSynchronize(stream));
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
  float* pooled = nullptr;
  check(hipMallocAsync(reinterpret_cast<void**>(&pooled), kCount * sizeof(float), stream));
  async_memory<<<grid, block, 0, stream>>>(filled(pooled, kCount, 21), device(0));
  on_another_stream<<<grid, block, 0, stream>>>(device(23), device(0));
  static float own[kCount];
  check(hipHostRegister(own, sizeof own, hipHostRegisterMapped));
  for (int i = 0; i < kCount; ++i) own[i] = 5 + 0.5f * static_cast<float>(i);
  float* mapped = nullptr;
  check(hipHostGetDevicePointer(reinterpret_cast<void**>(&mapped), own, 0));
  registered_host<<<grid, block>>>(mapped, device(0));
  hipPitchedPtr box{};
  check(hipMalloc3D(&box, make_hipExtent(kCount / 6 * sizeof(float), 3, 2)));
  filled(static_cast<float*>(box.ptr), box.pitch * 6 / sizeof(float), 3);
  three_dimensional<<<grid, block>>>(static_cast<char*>(box.ptr), box.pitch, device(0));
  run_graphs(stream);
  check(hipDeviceSynchronize());
  return 0;
}
