// The seam between the HSA API (emulator/hsa) and the execution of kernels (emulator/wave).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "emulator/model/device.h"

namespace geak::emulator {

// The apertures through which flat instructions reach LDS and scratch: the high 32 bits of their
// bases. Above the 47 bits of host addresses, so no real allocation lies within. The same values
// stand in every amd_queue_t.
inline constexpr std::uint32_t kSharedApertureHigh = 0x00010000;
inline constexpr std::uint32_t kPrivateApertureHigh = 0x00020000;

// Whatever the executor derives from a code object and wants to keep as long as it is loaded.
struct DecodedCode {
  virtual ~DecodedCode() = default;
};

// A loaded code object. Device memory is host memory at the same addresses, so addresses here are
// host pointers. Lives at least as long as any dispatch of its kernels.
struct LoadedCode {
  struct Range {
    const std::byte* begin = nullptr;
    const std::byte* end = nullptr;
  };
  struct Symbol {
    std::string name;  // mangled, as in the ELF symbol table
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
  };

  Arch arch = Arch::gfx90a;
  bool xnack = false;
  bool sram_ecc = true;
  unsigned code_object_version = 4;  // 4 or 5: decides the layout of hidden kernel arguments
  std::vector<Range> executable;     // executable segments; kernels and device functions
  std::vector<Symbol> functions;     // sorted by address, for messages
  std::vector<std::byte> image;      // the ELF file as it was given, for DWARF
  std::uint64_t load_base = 0;       // added to the ELF file's addresses
  // By kernel, where in its arguments the size of dynamic LDS belongs: where the HIP runtime was
  // presented an older code object, which has no such argument.
  std::map<std::string, std::uint32_t, std::less<>> dynamic_lds_arguments;

  // Filled by the executor on first use.
  mutable std::mutex decoded_mutex;
  mutable std::shared_ptr<DecodedCode> decoded;
};

class Monitor;

// One kernel dispatch packet, resolved. All addresses are host addresses.
struct KernelDispatch {
  std::shared_ptr<const LoadedCode> code;
  const DeviceDescription* device = nullptr;
  std::string kernel_name;                     // mangled, without ".kd"
  const std::byte* descriptor = nullptr;       // the 64 bytes of the kernel descriptor
  std::uint64_t entry = 0;                     // first instruction (descriptor + entry offset)
  unsigned dimensions = 1;                     // 1 to 3, as the packet's setup field says
  std::array<std::uint32_t, 3> grid{1, 1, 1};  // in work-items; need not divide by the workgroup
  std::array<std::uint32_t, 3> workgroup{1, 1, 1};
  std::uint32_t private_segment_bytes = 0;  // scratch per work-item
  std::uint32_t group_segment_bytes = 0;    // static and dynamic LDS per workgroup
  std::uint64_t kernarg_address = 0;
  std::uint64_t packet_address = 0;  // hsa_kernel_dispatch_packet_t: stays valid in run()
  std::uint64_t queue_address = 0;   // amd_queue_t
  std::uint64_t dispatch_id = 0;     // the packet's index in its queue
  bool cooperative = false;  // all workgroups must be resident at once (grid sync, ds_gws_*)
  // Called for s_sendmsg(interrupt): a wave changed a signal that the host may be waiting for.
  std::function<void()> host_interrupt;
  // Set while run() is in progress when the queue goes away: run() then returns `cancelled` soon.
  const std::atomic<bool>* cancelled = nullptr;
  // Watches every instruction (geak check); nullptr: the plain interpreter runs the waves.
  Monitor* monitor = nullptr;
};

struct ExecutionError {
  enum class Kind {
    unknown_instruction,  // not decodable, or not implemented
    memory_fault,         // an address that was never given to the GPU, or a misaligned one
    out_of_resources,     // LDS, registers or workgroup size beyond the device
    trap,                 // s_trap: abort, assert
    cancelled,
    internal,
  };
  Kind kind = Kind::internal;
  std::string message;  // names the instruction, the kernel and the address
};

// What a dispatch did, as the parts that count it define it.
struct Counters;

struct DispatchResult {
  double modelled_ns = 0;  // time on the modelled device
  std::shared_ptr<const Counters> counters;
  std::optional<ExecutionError> error;
};

// Runs kernels of one device. Thread safe: each queue calls run() from a thread of its own.
class Executor {
 public:
  virtual ~Executor() = default;
  // Returns when the last wave has ended, or at the first error. Waves of the dispatch may wait for
  // the host (hostcall) or for one another, and progress meanwhile.
  virtual DispatchResult run(const KernelDispatch& dispatch) = 0;
};

// `threads`: host threads that execute waves, 0 for one a core.
std::unique_ptr<Executor> make_executor(const DeviceDescription& device, unsigned threads);

}  // namespace geak::emulator
