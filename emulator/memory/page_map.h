// Which pages of the process the emulated GPU may touch.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace geak::emulator {

// Host memory that is locked for the devices has a second address there, as on a real GPU: the HIP
// runtime counts on the two being different. It is the host's with this bit set, which no address
// of a user process has.
inline constexpr std::uint64_t kLockedAlias = 1ull << 47;

inline constexpr std::uint64_t host_address(std::uint64_t device_address) {
  return device_address & ~kLockedAlias;
}
template <typename T>
T* host_pointer(T* device_pointer) {
  return reinterpret_cast<T*>(host_address(reinterpret_cast<std::uint64_t>(device_pointer)));
}

// Device memory is host memory at the same address, so that the host's own page protection would
// let a wild kernel access corrupt the program unseen. This map holds what was given to the GPU:
// allocations, locked host memory, loaded code objects, signals and queues. Lookups are two loads
// and take no lock; changes are serialised.
class PageMap {
 public:
  static constexpr unsigned kPageBits = 12;

  PageMap();
  PageMap(const PageMap&) = delete;
  PageMap& operator=(const PageMap&) = delete;

  // The map of this process: one address space, shared by all emulated devices.
  static PageMap& instance();

  // Pages touched by [address, address + bytes). A page may be added several times (two locked
  // buffers in one page) and stays until it was removed as often (127 times at most).
  void add(std::uint64_t address, std::uint64_t bytes);
  void remove(std::uint64_t address, std::uint64_t bytes);
  // Shared virtual memory: a property that pages have or not, apart from the counts.
  void set_shared(std::uint64_t address, std::uint64_t bytes, bool shared);

  // Both take addresses as devices have them, locked memory's second one included.
  bool covers(std::uint64_t address) const {
    const std::uint64_t page = host_address(address) >> kPageBits;
    const std::uint64_t leaf_index = page >> kLeafBits;
    if (leaf_index >= kLeaves) return false;
    const Leaf* leaf = leaves_[leaf_index].load(std::memory_order_acquire);
    return leaf && leaf->users[page & (kLeafPages - 1)].load(std::memory_order_relaxed) != 0;
  }
  // An access of at most a page: it touches two pages at most.
  bool covers(std::uint64_t address, std::uint32_t bytes) const {
    return covers(address) &&
           ((address ^ (address + bytes - 1)) >> kPageBits == 0 || covers(address + bytes - 1));
  }

 private:
  static constexpr unsigned kAddressBits = 47;  // user addresses of x86-64
  static constexpr unsigned kLeafBits = 18;     // a leaf maps 1 GiB
  static constexpr std::uint64_t kLeafPages = 1ull << kLeafBits;
  static constexpr std::uint64_t kLeaves = 1ull << (kAddressBits - kPageBits - kLeafBits);

  struct Leaf {
    std::atomic<std::uint8_t> users[kLeafPages] = {};
  };

  static constexpr std::uint8_t kShared = 0x80;  // beside the count, in the low bits

  template <typename Change>
  void for_pages(std::uint64_t address, std::uint64_t bytes, Change&& change);

  std::unique_ptr<std::atomic<Leaf*>[]> leaves_;
  std::vector<std::unique_ptr<Leaf>> owned_;
  std::mutex mutex_;
};

}  // namespace geak::emulator
