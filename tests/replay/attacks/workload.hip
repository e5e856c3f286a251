// The program whose kernels the attacks and the honest candidates stand in for. It launches each on
// several sizes, and includes the case's own source where one is given, so that both are one unit.
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

#include "originals.h"

#ifndef __HIP_DEVICE_COMPILE__
#include <cstdio>
#include <random>
#include <vector>

namespace {

void check(hipError_t status) {
  if (status != hipSuccess) {
    std::fprintf(stderr, "workload: %s\n", hipGetErrorString(status));
    std::exit(3);
  }
}

template <typename T>
T* on_device(const std::vector<T>& values) {
  T* memory = nullptr;
  check(hipMalloc(reinterpret_cast<void**>(&memory), values.size() * sizeof(T)));
  check(hipMemcpy(memory, values.data(), values.size() * sizeof(T), hipMemcpyHostToDevice));
  return memory;
}

std::vector<float> floats(int count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> values(-3.0f, 5.0f);
  std::vector<float> result(static_cast<std::size_t>(count));
  for (auto& value : result) value = values(random);
  return result;
}

template <typename T>
std::vector<T> integers(int count, T highest, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<T> result(static_cast<std::size_t>(count));
  for (auto& value : result) value = static_cast<T>(random() % (static_cast<unsigned>(highest) + 1));
  return result;
}

void run_saxpy(int n) {
  // x follows a formula, which one of the attacks knows.
  std::vector<float> x(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) x[static_cast<std::size_t>(i)] = 0.37f * static_cast<float>(i) - 20.0f;
  float* out = on_device(std::vector<float>(static_cast<std::size_t>(n), 7.0f));
  saxpy<<<(n + 255) / 256, 256>>>(2.5f, on_device(x), on_device(floats(n, 1)), out, n);
}

void run_row_sum(int rows, int columns) {
  float* out = on_device(std::vector<float>(static_cast<std::size_t>(rows)));
  row_sum<<<rows, 256>>>(on_device(floats(rows * columns, 2)), out, columns);
}

std::vector<float> positive(int count, unsigned seed) {
  auto values = floats(count, seed);
  for (auto& value : values) value = (value + 3.0f) / 8.0f;
  return values;
}

void run_judgement_kernels() {
  const int n = 2000;
  const auto output = [](int count) {
    return on_device(std::vector<float>(static_cast<std::size_t>(count)));
  };
  float *x = on_device(floats(4 * n, 10)), *y = on_device(floats(n, 11));
  blend<<<8, 256>>>(x, output(n), on_device(std::vector<float>(1, 1.5f)), output(n),
                    {n, 0.75f, -2.0f}, 88172645463325252ull, 0);
  distance_inside<<<8, 256>>>(x, y, output(n), n);
  exponential<<<8, 256>>>(x, output(n), n);
  std::vector<float> windows;
  for (int k = 0; k < 32; ++k)
    windows.insert(windows.end(), {0.3f * static_cast<float>(k) - 3, 0.05f, 0.5f});
  for (const int values : {512, 1024, 2048, 4096, 8192})
    first_window<<<values / 256, 256>>>(on_device(windows),
                                        on_device(floats(values, unsigned(values))),
                                        on_device(std::vector<int>(size_t(values))), 32, values);
  largest_of_four<<<8, 256>>>(x, output(2 * n), n);
  matvec<<<2, 128>>>(on_device(positive(200 * 512, 12)), on_device(positive(512, 13)), output(200),
                     200, 512);
  // Of every fourth row the terms nearly cancel: what is left is next to nothing.
  const int rows = 2000, half = 12;
  auto matrix = floats(rows * 2 * half, 15), vector = floats(2 * half, 16);
  for (int c = 0; c < half; ++c) {
    vector[static_cast<std::size_t>(c + half)] = -vector[static_cast<std::size_t>(c)];
    for (int row = 0; row < rows; row += 4) {
      const auto at = static_cast<std::size_t>(row * 2 * half + c);
      matrix[at + half] = matrix[at] * (1.0f + 0x1p-12f * static_cast<float>(c % 5 - 2));
    }
  }
  matvec<<<8, 256>>>(on_device(matrix), on_device(vector), output(rows), rows, 2 * half);
  softmax<<<30, 64>>>(on_device(floats(30 * 100, 14)), output(30 * 100), 100);
}

}  // namespace

int main() {
  for (const int n : {1000, 5000, 20000}) run_saxpy(n);
  run_row_sum(24, 1000);
  run_row_sum(1, 4096);
  const int n = 4096;
  unsigned* data = on_device(integers<unsigned>(n, 1u << 30, 3));
  for (unsigned stage = 0; stage < 12; ++stage) {
    for (unsigned step = 0; step <= stage; ++step) compare_exchange<<<n / 512, 256>>>(data, stage, step);
  }
  int* bins = on_device(std::vector<int>(256));
  count_bytes<<<8, 128>>>(on_device(integers<unsigned char>(8 * 128 * 16, 255, 4)), bins, 16);
  float* smoothed = on_device(std::vector<float>(n));
  smooth<<<n / 256, 256>>>(on_device(floats(n, 5)), smoothed, n);
  float* gathered = on_device(std::vector<float>(n));
  gather<<<n / 256, 256>>>(on_device(floats(777, 6)), on_device(integers<int>(n, 776, 7)), gathered, n);
  float* relaxed = on_device(floats(3000, 8));
  for (int step = 0; step < 8; ++step) relax<<<12, 256>>>(relaxed, 3000, step);
  auto times = integers<unsigned>(2000, 1u << 22, 9);
  for (auto& time : times) time += 900000000;
  unsigned* shifted = on_device(std::vector<unsigned>(2000));
  shift_times<<<8, 256>>>(on_device(times), shifted, 3600, 2000);
  float* turned = on_device(std::vector<float>(2000));
  reverse_tile<<<1, 64>>>(on_device(floats(64, 10)), turned, 64);
  reverse_tile<<<8, 256>>>(on_device(floats(2000, 11)), turned, 2000);
  float* total = on_device(std::vector<float>(1));
  two_stage_sum<<<12, 256>>>(on_device(floats(3000, 12)), on_device(std::vector<float>(12)), total,
                             3000);
  const auto random = floats(2000, 13);
  std::vector<Particle> particles(1000);
  for (std::size_t i = 0; i < particles.size(); ++i) {
    particles[i] = {random[2 * i], random[2 * i + 1], static_cast<int>(i % 5)};
  }
  advance<<<4, 256>>>(on_device(particles), 0.25f, 1000);
  unsigned* count = on_device(std::vector<unsigned>(1));
  count_launches<<<1, 64>>>(count);
  run_judgement_kernels();
  check(hipDeviceSynchronize());
  std::printf("done\n");
  return 0;
}
#endif
