// More packets than the ring holds, from several threads and streams.
#include <thread>
#include <vector>

#include "check.h"

__global__ void bump(unsigned* counter) { atomicAdd(counter, 1u); }

int main() {
  unsigned* counter;
  HIP_CHECK(hipMalloc(&counter, sizeof(unsigned)));
  HIP_CHECK(hipMemset(counter, 0, sizeof(unsigned)));
  const int threads = 4, launches = 5000;
  std::vector<std::thread> workers;
  for (int t = 0; t < threads; ++t) {
    workers.emplace_back([&] {
      hipStream_t stream;
      HIP_CHECK(hipStreamCreate(&stream));
      for (int i = 0; i < launches; ++i) bump<<<1, 64, 0, stream>>>(counter);
      HIP_CHECK(hipStreamSynchronize(stream));
      HIP_CHECK(hipStreamDestroy(stream));
    });
  }
  for (auto& worker : workers) worker.join();
  unsigned total = 0;
  HIP_CHECK(hipMemcpy(&total, counter, sizeof total, hipMemcpyDeviceToHost));
  EXPECT(total == 64u * threads * launches);
}
