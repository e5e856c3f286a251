// A place on the device for a launch's memory, each region between red zones.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "replay/replayer/device.h"
#include "replay/replayer/image.h"

namespace geak::replay {

// What lies around the regions.
struct Surroundings {
  bool zones = true;   // false: allocations end where regions end, for a device that watches
  unsigned style = 0;  // of the zones' contents; any number is one of kZoneStyles
};
inline constexpr unsigned kZoneStyles = 4;
// Between these two an original shows whether a launch stays within its buffers: plausible numbers,
// which comparisons find in range, and a pattern that is beyond all ranges.
inline constexpr std::array kTellingZones = {2u, 0u};

class Arena {
 public:
  // Fresh memory for every region but the globals, which lie where `program` has them. A region
  // keeps its recorded alignment up to a page. Memory stands in for a global that the program
  // lacks.
  Arena(Device& device, const LoadedKernel& program, const LaunchRecord& launch,
        const Surroundings& surroundings = {});

  const Bases& bases() const { return bases_; }
  // Of each region: its device memory with its red zones; of a global the variable alone.
  struct Block {
    std::byte* at = nullptr;
    std::size_t bytes = 0;
  };
  std::vector<Block> blocks() const;

  // Writes the image, whose addresses are the recorded ones, and the red zones.
  void restore(Image image, const Bases& recorded);
  // What the regions hold now, in recorded addresses.
  Image read(const Bases& recorded) const;
  // Overwrites the regions, so that no later launch finds results in them. Globals stay.
  void wipe();
  // Empty where all red zones are whole; else what was written where, for people.
  std::string zone_damage() const;

 private:
  struct Place {
    Device::Memory memory;   // null for a global of the program
    std::size_t before = 0;  // bytes of the zone in front of the region
    std::size_t bytes = 0, total = 0;
    std::string name;
  };
  void write_zone(const Place& place, std::size_t begin, std::size_t end);

  Device& device_;
  unsigned style_;
  std::vector<bool> without_;  // addresses: of each region
  Bases bases_;
  std::vector<Place> places_;
};

}  // namespace geak::replay
