// A GPU through HSA: ROCr and a real device, or the emulator, which this code can't tell apart.
#pragma once

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <array>
#include <span>

#include "replay/hsa/queue.h"
#include "replay/replayer/device.h"

namespace geak::replay {

class HsaDevice : public Device {
 public:
  // The first GPU whose instruction set is `processor` ("gfx90a"); of any where that is empty.
  // Throws std::runtime_error that says what there is instead.
  explicit HsaDevice(const std::string& processor);
  ~HsaDevice() override;
  HsaDevice(const HsaDevice&) = delete;
  HsaDevice& operator=(const HsaDevice&) = delete;

  const std::string& name() const override { return name_; }
  const std::string& isa() const { return isa_; }
  hsa_agent_t agent() const { return agent_; }
  std::uint32_t lds_bytes() const override { return lds_bytes_; }
  double peak_bandwidth() const override { return peak_bandwidth_; }
  Memory allocate(std::size_t bytes) override;
  void copy(void* to, const void* from, std::size_t bytes) override;
  void fill(std::byte* at, std::byte value, std::size_t bytes) override;
  std::unique_ptr<LoadedKernel> load(std::vector<std::byte> code,
                                     const std::string& kernel) override;

  // Runs a kernel to its end; its time on the device's clock in ns. Throws DeviceFault; the device
  // is usable afterwards unless HSA itself gave up.
  double run(std::uint64_t kernel_object, const DispatchShape& shape,
             std::span<const std::byte> kernarg, std::chrono::milliseconds limit);
  // Address of the queue that run() will use for such a launch (a hidden argument).
  std::uint64_t queue_address(bool cooperative);

 private:
  Queue& queue(bool cooperative);
  void describe(const std::string& processor);
  void allocate_kernarg();

  hsa_agent_t agent_{};
  hsa_amd_memory_pool_t device_pool_{}, kernarg_pool_{};
  std::string name_, isa_;
  std::uint32_t lds_bytes_ = 0;
  double peak_bandwidth_ = 0;
  double ns_per_tick_ = 1;
  std::uint64_t launches_ = 0;
  std::array<std::unique_ptr<Queue>, 2> queues_;  // plain, cooperative
  std::byte* kernarg_ = nullptr;
};

}  // namespace geak::replay
