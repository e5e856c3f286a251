// What a trial needs of a GPU. Backends: HSA (hsa/hsa_device.h), the CUDA driver
// (cuda/cuda_device.h).
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "replay/code_object/kernel_metadata.h"
#include "support/launch_change.h"

namespace geak::replay {

// A kernel did not end well: a fault, an illegal instruction, or no end in time.
struct DeviceFault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct KernelRun {
  support::Extent grid{1, 1,
                       1};  // in work-items; a multiple of the block unless groups are partial
  support::Extent block{1, 1, 1};
  std::uint32_t dynamic_lds = 0;
  bool cooperative = false;
  bool follows_another = false;  // a launch of the same program: caches stay as that left them
  std::vector<std::uint8_t> arguments;  // the explicit ones, at their offsets
  std::chrono::milliseconds limit{10'000};
};

// A kernel of a code object that is on the device, with the object's own variables.
class LoadedKernel {
 public:
  virtual ~LoadedKernel() = default;
  virtual const KernelMetadata& metadata() const = 0;
  // Device address of a variable of the code object; 0 where it has none of that name.
  virtual std::uint64_t variable(const std::string& name) const = 0;
  // Where the code object's own code and constants lie, which no kernel may change; none where the
  // device does not let them be read.
  struct Memory {
    std::uint64_t address = 0, bytes = 0;
  };
  virtual std::vector<Memory> constants() const { return {}; }
  // Runs it to its end; its time on the device's clock in ns. Throws DeviceFault.
  virtual double run(const KernelRun& run) = 0;
};

class Device {
 public:
  virtual ~Device() = default;
  virtual const std::string& name() const = 0;
  // What a workgroup can have.
  virtual std::uint32_t lds_bytes() const = 0;
  // Bytes a nanosecond that its memory can deliver at most; 0 where the device does not say.
  virtual double peak_bandwidth() const = 0;

  // Device memory. Freed with the last reference.
  using Memory = std::shared_ptr<std::byte>;
  virtual Memory allocate(std::size_t bytes) = 0;
  // Between host and device in any direction, by address.
  virtual void copy(void* to, const void* from, std::size_t bytes) = 0;
  virtual void fill(std::byte* at, std::byte value, std::size_t bytes) = 0;

  // Keeps a copy of the bytes. Throws std::runtime_error where the loader refuses them or they have
  // no such kernel.
  virtual std::unique_ptr<LoadedKernel> load(std::vector<std::byte> code,
                                             const std::string& kernel) = 0;
};

}  // namespace geak::replay
