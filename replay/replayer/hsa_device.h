// A GPU through HSA: ROCr and a real device, or the emulator, which this code can't tell apart.
#pragma once

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <array>
#include <atomic>
#include <span>

#include "replay/replayer/device.h"

namespace geak::replay {

// Throws std::runtime_error with HSA's words unless the status is success.
void check_hsa(hsa_status_t status, const char* what);

struct DispatchShape {
  std::array<std::uint32_t, 3> grid{1, 1, 1};   // in work-items
  std::array<std::uint32_t, 3> block{1, 1, 1};  // in work-items
  std::uint32_t group_bytes = 0;                // static and dynamic LDS of a workgroup
  std::uint32_t private_bytes = 0;              // scratch of a work-item
  bool cooperative = false;
};

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
  struct Queue;
  Queue& queue(bool cooperative);
  void find_agents(const std::string& processor);
  void find_pools();

  hsa_agent_t agent_{}, cpu_{};
  hsa_amd_memory_pool_t device_pool_{}, kernarg_pool_{};
  std::string name_, isa_;
  std::uint32_t lds_bytes_ = 0;
  double peak_bandwidth_ = 0;
  double ns_per_tick_ = 1;
  std::uint64_t launches_ = 0;
  std::array<std::unique_ptr<Queue>, 2> queues_;  // plain, cooperative
  std::byte* kernarg_ = nullptr;
};

// A code object on the device.
class LoadedProgram {
 public:
  // Keeps a copy of the bytes. Throws std::runtime_error where the loader refuses them.
  LoadedProgram(HsaDevice& device, std::vector<std::byte> code);
  ~LoadedProgram();
  LoadedProgram(const LoadedProgram&) = delete;
  LoadedProgram& operator=(const LoadedProgram&) = delete;

  struct Kernel {
    std::uint64_t object = 0;
    std::uint32_t group_bytes = 0, private_bytes = 0, kernarg_bytes = 0;
  };
  Kernel kernel(const std::string& symbol) const;
  // Device address of a visible variable; 0 where there is none.
  std::uint64_t variable(const std::string& name) const;

 private:
  HsaDevice& device_;
  std::vector<std::byte> code_;
  hsa_code_object_reader_t reader_{};
  hsa_executable_t executable_{};
};

}  // namespace geak::replay
