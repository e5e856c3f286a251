// Every way to copy and fill with no kernel of the program's own: linear, 2D, 3D, async, memset,
// peer.
#include <cstring>
#include <numeric>
#include <vector>

#include "check.h"

static void linear() {
  const size_t n = 3u << 20;
  std::vector<unsigned char> from(n), to(n);
  for (size_t i = 0; i < n; ++i) from[i] = static_cast<unsigned char>(i * 7 + i / 251);
  unsigned char *a, *b;
  HIP_CHECK(hipMalloc(&a, n));
  HIP_CHECK(hipMalloc(&b, n));
  HIP_CHECK(hipMemcpy(a, from.data(), n, hipMemcpyHostToDevice));
  HIP_CHECK(hipMemcpy(b, a, n, hipMemcpyDeviceToDevice));
  HIP_CHECK(hipMemcpy(to.data(), b, n, hipMemcpyDeviceToHost));
  EXPECT(from == to);
  HIP_CHECK(hipMemset(b, 0x5a, n - 3));
  HIP_CHECK(hipMemcpy(to.data(), b, n, hipMemcpyDeviceToHost));
  for (size_t i = 0; i < n; ++i) EXPECT(to[i] == (i < n - 3 ? 0x5a : from[i]));
  HIP_CHECK(hipFree(a));
  HIP_CHECK(hipFree(b));
}

static void pitched() {
  const size_t width = 100, height = 37;
  std::vector<unsigned char> from(width * height), to(width * height, 0);
  std::iota(from.begin(), from.end(), 0);
  unsigned char* device;
  size_t pitch;
  HIP_CHECK(hipMallocPitch(reinterpret_cast<void**>(&device), &pitch, width, height));
  EXPECT(pitch >= width);
  HIP_CHECK(hipMemcpy2D(device, pitch, from.data(), width, width, height, hipMemcpyHostToDevice));
  HIP_CHECK(hipMemcpy2D(to.data(), width, device, pitch, width, height, hipMemcpyDeviceToHost));
  EXPECT(from == to);
  HIP_CHECK(hipMemset2D(device, pitch, 9, width / 2, height));
  HIP_CHECK(hipMemcpy2D(to.data(), width, device, pitch, width, height, hipMemcpyDeviceToHost));
  for (size_t i = 0; i < to.size(); ++i) EXPECT(to[i] == (i % width < width / 2 ? 9 : from[i]));
  HIP_CHECK(hipFree(device));
}

static void volume() {
  const size_t x = 20, y = 11, z = 5;
  std::vector<float> from(x * y * z), to(x * y * z, 0);
  std::iota(from.begin(), from.end(), 1.0f);
  hipPitchedPtr device;
  const hipExtent extent = make_hipExtent(x * sizeof(float), y, z);
  HIP_CHECK(hipMalloc3D(&device, extent));
  hipMemcpy3DParms copy = {};
  copy.srcPtr = make_hipPitchedPtr(from.data(), x * sizeof(float), x, y);
  copy.dstPtr = device;
  copy.extent = extent;
  copy.kind = hipMemcpyHostToDevice;
  HIP_CHECK(hipMemcpy3D(&copy));
  copy.srcPtr = device;
  copy.dstPtr = make_hipPitchedPtr(to.data(), x * sizeof(float), x, y);
  copy.kind = hipMemcpyDeviceToHost;
  HIP_CHECK(hipMemcpy3D(&copy));
  EXPECT(from == to);
  HIP_CHECK(hipFree(device.ptr));
}

static void asynchronous() {
  const size_t n = 1u << 20;
  int *host, *device;
  HIP_CHECK(hipHostMalloc(reinterpret_cast<void**>(&host), 2 * n * sizeof(int)));
  HIP_CHECK(hipMalloc(&device, n * sizeof(int)));
  for (size_t i = 0; i < n; ++i) host[i] = static_cast<int>(i) * 3;
  hipStream_t stream;
  HIP_CHECK(hipStreamCreate(&stream));
  HIP_CHECK(hipMemcpyAsync(device, host, n * sizeof(int), hipMemcpyHostToDevice, stream));
  HIP_CHECK(hipMemcpyAsync(host + n, device, n * sizeof(int), hipMemcpyDeviceToHost, stream));
  HIP_CHECK(hipStreamSynchronize(stream));
  EXPECT(std::memcmp(host, host + n, n * sizeof(int)) == 0);
  HIP_CHECK(hipStreamDestroy(stream));
  HIP_CHECK(hipFree(device));
  HIP_CHECK(hipHostFree(host));
}

int main() {
  linear();
  pitched();
  volume();
  asynchronous();
}
