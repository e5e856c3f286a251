// The memory that was given to the devices, as the checks see it: each allocation with its exact
// size, its red zones, which of its bytes were written, and who made and freed it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "emulator/check/shadow_pages.h"

namespace geak::emulator::check {

// Return addresses of the host's calls, innermost first.
using HostCalls = std::vector<std::uint64_t>;
HostCalls host_calls();

struct Region {
  enum class Kind : std::uint8_t {
    device,  // of a GPU's pool: not initialised until it is written
    host,    // of the CPU's pool: the host may write it at any time
    locked,  // the program's own, locked for the devices
    code,    // a loaded code object
  };
  Kind kind = Kind::device;
  std::uint64_t serial = 0;  // 1 for the first of the process
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;                     // as asked for
  std::uint64_t zone_begin = 0, zone_end = 0;  // with the red zones
  bool freed = false;
  HostCalls allocated_by, freed_by;
  // A byte for each of the region's, 1 once it was written; empty where all count as written.
  ShadowPages written;
  // racecheck's records of accesses, made on the first.
  ShadowPages accesses;

  std::uint64_t end() const { return begin + bytes; }
  bool holds(std::uint64_t address, std::uint64_t size) const {
    return address >= begin && address - begin <= bytes && size <= bytes - (address - begin);
  }
};

class MemoryRegions {
 public:
  // `zone`: the whole range that belongs to it; what is there beside [begin, begin + bytes) is red.
  Region& add(Region::Kind kind, std::uint64_t begin, std::uint64_t bytes, std::uint64_t zone_begin,
              std::uint64_t zone_end, bool track_writes);
  // It stays known as freed until forget().
  Region* mark_freed(std::uint64_t begin);
  void forget(std::uint64_t begin);

  // The region in whose zone the address lies, else nullptr.
  Region* find(std::uint64_t address) const;
  // Of the regions around, the one whose end or begin is nearest: for messages.
  Region* nearest(std::uint64_t address) const;

  // Fills memory of which writes are tracked with what unwritten() knows again.
  static void fill(const Region& region);
  // Bit n: byte n of an access within the region was not written. Where the memory has changed
  // though no kernel and no copy is known, the host wrote it: the HIP runtime does so for small
  // copies.
  static std::uint64_t unwritten(Region& region, std::uint64_t address, unsigned bytes);
  // Larger ones are not tracked: filling them would take too much of the host's memory.
  static constexpr std::uint64_t kMostTracked = 512u << 20;

  void set_written(std::uint64_t address, std::uint64_t bytes);
  // A copy: what was not written in the source isn't in the target either.
  void copy_written(std::uint64_t to, std::uint64_t from, std::uint64_t bytes);

 private:
  std::map<std::uint64_t, std::unique_ptr<Region>> by_zone_;
  mutable Region* last_ = nullptr;
  std::uint64_t next_serial_ = 1;
};

}  // namespace geak::emulator::check
