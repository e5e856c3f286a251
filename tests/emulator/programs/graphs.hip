// Graphs: captured from a stream, and made of nodes; launched several times.
#include <vector>

#include "check.h"

__global__ void increment(int* data, int n, int by) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += by;
}

static void captured() {
  const int n = 1000;
  int* data;
  HIP_CHECK(hipMalloc(&data, n * sizeof(int)));
  HIP_CHECK(hipMemset(data, 0, n * sizeof(int)));
  hipStream_t stream;
  HIP_CHECK(hipStreamCreate(&stream));
  HIP_CHECK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  increment<<<4, 256, 0, stream>>>(data, n, 1);
  increment<<<4, 256, 0, stream>>>(data, n, 10);
  hipGraph_t graph;
  HIP_CHECK(hipStreamEndCapture(stream, &graph));
  hipGraphExec_t exec;
  HIP_CHECK(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  for (int i = 0; i < 5; ++i) HIP_CHECK(hipGraphLaunch(exec, stream));
  HIP_CHECK(hipStreamSynchronize(stream));
  std::vector<int> out(n);
  HIP_CHECK(hipMemcpy(out.data(), data, n * sizeof(int), hipMemcpyDeviceToHost));
  for (int value : out) EXPECT(value == 55);
  HIP_CHECK(hipGraphExecDestroy(exec));
  HIP_CHECK(hipGraphDestroy(graph));
  HIP_CHECK(hipStreamDestroy(stream));
  HIP_CHECK(hipFree(data));
}

static void built() {
  int n = 1000, by = 7;
  std::vector<int> in(n, 5), out(n);
  int* data;
  HIP_CHECK(hipMalloc(&data, n * sizeof(int)));
  hipGraph_t graph;
  HIP_CHECK(hipGraphCreate(&graph, 0));
  hipGraphNode_t copy_in, kernel, copy_out;
  HIP_CHECK(hipGraphAddMemcpyNode1D(&copy_in, graph, nullptr, 0, data, in.data(), n * sizeof(int),
                                    hipMemcpyHostToDevice));
  void* arguments[] = {&data, &n, &by};
  hipKernelNodeParams params = {};
  params.func = reinterpret_cast<void*>(increment);
  params.gridDim = dim3(4);
  params.blockDim = dim3(256);
  params.kernelParams = arguments;
  HIP_CHECK(hipGraphAddKernelNode(&kernel, graph, &copy_in, 1, &params));
  HIP_CHECK(hipGraphAddMemcpyNode1D(&copy_out, graph, &kernel, 1, out.data(), data, n * sizeof(int),
                                    hipMemcpyDeviceToHost));
  hipGraphExec_t exec;
  HIP_CHECK(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  hipStream_t stream;
  HIP_CHECK(hipStreamCreate(&stream));
  HIP_CHECK(hipGraphLaunch(exec, stream));
  HIP_CHECK(hipStreamSynchronize(stream));
  for (int value : out) EXPECT(value == 12);
}

int main() {
  captured();
  built();
}
