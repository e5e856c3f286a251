// Every way to memory: scratch and its calls, static and dynamic LDS, flat pointers that mix them
// in one wave, atomics, narrow accesses, lanes that exchange data.
#include <cmath>
#include <vector>

#include "check.h"

constexpr int kThreads = 256, kGroups = 8, kItems = kThreads * kGroups;

__global__ void indexed_array(int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int values[32];
  for (int k = 0; k < 32; ++k) values[k] = i * k;
  int sum = 0;
  for (int k = 0; k < n; ++k) sum += values[(i * 7 + k * 3) & 31];
  out[i] = sum;
}

__device__ __noinline__ int fibonacci(int n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
__global__ void recursion(int* out) { out[threadIdx.x] = fibonacci(threadIdx.x % 10); }

__device__ __noinline__ int triple(int x) { return 3 * x + 1; }
__device__ __noinline__ int less(int x) { return x - 7; }
__global__ void function_pointers(int* out) {
  int (*f)(int) = threadIdx.x % 2 ? triple : less;
  out[threadIdx.x] = f(threadIdx.x);
}

__global__ void dynamic_lds(int* out) {
  extern __shared__ int shared[];
  shared[threadIdx.x] = threadIdx.x * 3;
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = shared[blockDim.x - 1 - threadIdx.x];
}

__global__ void histogram(int* out) {
  __shared__ int counts[64];
  if (threadIdx.x < 64) counts[threadIdx.x] = 0;
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&counts[i * i % 64], 1);
  __syncthreads();
  if (threadIdx.x < 64) atomicAdd(&out[threadIdx.x], counts[threadIdx.x]);
}

__global__ void flat_pointers(const int* global, int* out, int shift) {
  __shared__ int shared[64];
  int local[8];
  for (int k = 0; k < 8; ++k) local[k] = 100 + k + threadIdx.x;
  shared[threadIdx.x] = 1000 + threadIdx.x;
  __syncthreads();
  const int* from = threadIdx.x % 3 == 0 ? global : threadIdx.x % 3 == 1 ? shared : local;
  out[threadIdx.x] = from[(threadIdx.x + shift) & 7];
}

__global__ void lane_exchange(int* out) {
  int v = threadIdx.x;
  v += __shfl_xor(v, 1);
  v += __shfl_down(v, 2);
  out[threadIdx.x] = v + __shfl(v, 5);
}

__global__ void narrow(unsigned char* bytes, short* shorts) {
  bytes[threadIdx.x] = threadIdx.x * 3;
  shorts[threadIdx.x] = static_cast<short>(-static_cast<int>(threadIdx.x));
}

std::vector<int> fetch(const int* device, int count) {
  std::vector<int> host(count);
  HIP_CHECK(hipMemcpy(host.data(), device, count * sizeof(int), hipMemcpyDeviceToHost));
  return host;
}

void check_scratch(int* out) {
  indexed_array<<<kGroups, kThreads>>>(out, 20);
  auto got = fetch(out, kItems);
  for (int i = 0; i < kItems; ++i) {
    int sum = 0;
    for (int k = 0; k < 20; ++k) sum += i * ((i * 7 + k * 3) & 31);
    EXPECT(got[i] == sum);
  }
  recursion<<<1, 64>>>(out);
  got = fetch(out, 64);
  const int expected[10] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34};
  for (int i = 0; i < 64; ++i) EXPECT(got[i] == expected[i % 10]);
  function_pointers<<<1, 64>>>(out);
  got = fetch(out, 64);
  for (int i = 0; i < 64; ++i) EXPECT(got[i] == (i % 2 ? 3 * i + 1 : i - 7));
}

void check_lds(int* out) {
  dynamic_lds<<<kGroups, kThreads, kThreads * sizeof(int)>>>(out);
  auto got = fetch(out, kItems);
  for (int i = 0; i < kItems; ++i) EXPECT(got[i] == (kThreads - 1 - i % kThreads) * 3);
  HIP_CHECK(hipMemset(out, 0, 64 * sizeof(int)));
  histogram<<<kGroups, kThreads>>>(out);
  got = fetch(out, 64);
  std::vector<int> expected(64);
  for (int i = 0; i < kItems; ++i) ++expected[i * i % 64];
  for (int n = 0; n < 64; ++n) EXPECT(got[n] == expected[n]);
}

void check_flat(int* out) {
  const int values[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  int* global;
  HIP_CHECK(hipMalloc(&global, sizeof values));
  HIP_CHECK(hipMemcpy(global, values, sizeof values, hipMemcpyHostToDevice));
  flat_pointers<<<1, 64>>>(global, out, 3);
  const auto got = fetch(out, 64);
  for (int i = 0; i < 64; ++i) {
    const int k = (i + 3) & 7;
    EXPECT(got[i] == (i % 3 == 0 ? values[k] : i % 3 == 1 ? 1000 + k : 100 + k + i));
  }
  HIP_CHECK(hipFree(global));
}

void check_exchange(int* out) {
  lane_exchange<<<1, 64>>>(out);
  const auto got = fetch(out, 64);
  int first[64], second[64];
  for (int i = 0; i < 64; ++i) first[i] = i + (i ^ 1);
  for (int i = 0; i < 64; ++i) second[i] = first[i] + (i + 2 < 64 ? first[i + 2] : first[i]);
  for (int i = 0; i < 64; ++i) EXPECT(got[i] == second[i] + second[5]);
}

void check_narrow(int* out) {
  narrow<<<1, 64>>>(reinterpret_cast<unsigned char*>(out), reinterpret_cast<short*>(out + 64));
  const auto got = fetch(out, 128);
  const auto* bytes = reinterpret_cast<const unsigned char*>(got.data());
  const auto* shorts = reinterpret_cast<const short*>(got.data() + 64);
  for (int i = 0; i < 64; ++i) EXPECT(bytes[i] == (i * 3 & 255) && shorts[i] == -i);
}

int main() {
  int* out;
  HIP_CHECK(hipMalloc(&out, kItems * sizeof(int)));
  check_scratch(out);
  check_lds(out);
  check_flat(out);
  check_exchange(out);
  check_narrow(out);
}
