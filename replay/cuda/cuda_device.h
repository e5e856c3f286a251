// An NVIDIA GPU through the CUDA driver: cubins that nvcc made of the same source.
#pragma once

#include "replay/cuda/driver_api.h"
#include "replay/replayer/device.h"

namespace geak::replay::cuda {

// Parameters, limits and resources of a function. Eight-byte parameters may be pointers and are
// called so: the driver does not say what is one.
KernelMetadata metadata_of(Function function, const std::string& symbol);

class CudaDevice : public Device {
 public:
  // The first GPU of the driver's order (CUDA_VISIBLE_DEVICES). Throws std::runtime_error where
  // there is none.
  CudaDevice();
  ~CudaDevice() override;
  CudaDevice(const CudaDevice&) = delete;
  CudaDevice& operator=(const CudaDevice&) = delete;

  const std::string& name() const override { return name_; }
  // "sm_90", as nvcc calls it.
  const std::string& architecture() const { return architecture_; }
  std::uint32_t lds_bytes() const override { return shared_bytes_; }
  double peak_bandwidth() const override { return peak_bandwidth_; }
  std::size_t l2_bytes() const { return l2_bytes_; }
  Memory allocate(std::size_t bytes) override;
  void copy(void* to, const void* from, std::size_t bytes) override;
  void fill(std::byte* at, std::byte value, std::size_t bytes) override;
  std::unique_ptr<LoadedKernel> load(std::vector<std::byte> code,
                                     const std::string& kernel) override;

  // Before each kernel from here on, memory of twice the L2 cache is written, so that a kernel
  // finds nothing of an earlier launch there.
  void flush_before_runs(bool flush) { flush_ = flush; }

 private:
  friend class CudaKernel;
  double run(Function function, const KernelRun& run);

  DeviceNumber device_ = 0;
  std::string name_, architecture_;
  std::uint32_t shared_bytes_ = 0;
  double peak_bandwidth_ = 0;
  std::size_t l2_bytes_ = 0;
  bool flush_ = true;
  Memory scratch_;
  Event start_ = nullptr, end_ = nullptr;
};

}  // namespace geak::replay::cuda
