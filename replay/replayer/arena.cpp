#include "replay/replayer/arena.h"

#include <algorithm>
#include <array>
#include <bit>

namespace geak::replay {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kZone = 4 * kPage;  // at least, on each side

// What a zone holds. One style is an implausible pattern; a candidate that knows it, or that looks
// at what lies around its buffers at all, meets others: zeros, plausible numbers, noise.
std::byte zone_byte(std::size_t at, unsigned style) {
  switch (style % kZoneStyles) {
    case 0:
      return static_cast<std::byte>(0xc5 ^ (at * 29 + (at >> 8)));
    case 1:
      return std::byte{0};
    case 2: {
      const float number = 0.5f + static_cast<float>(at / 4 % 97);
      return std::bit_cast<std::array<std::byte, 4>>(number)[at % 4];
    }
    default:
      return static_cast<std::byte>((at * 0x9e3779b97f4a7c15ull + style) >> 41);
  }
}

}  // namespace

Arena::Arena(Device& device, const LoadedKernel& program, const LaunchRecord& launch,
             const Surroundings& surroundings)
    : device_(device), style_(surroundings.style), without_(without_addresses(launch)) {
  for (const auto& region : launch.regions) {
    Place place;
    place.bytes = region.bytes;
    const bool global = region.kind == MemoryKind::global;
    place.name = global ? "variable " + region.name : "buffer " + std::to_string(places_.size());
    // A variable that a code object lacks, as another kernel's may be in one of a single kernel, is
    // left alone by it: memory stands in for it.
    if (const auto address = global ? program.variable(region.name) : 0) {
      bases_.push_back(address);
    } else {
      const auto zone = surroundings.zones ? kZone : 0;
      place.before = zone + region.base % kPage;
      place.total = place.before + region.bytes + zone;
      place.memory = device.allocate(place.total);
      bases_.push_back(reinterpret_cast<std::uint64_t>(place.memory.get()) + place.before);
    }
    places_.push_back(std::move(place));
  }
}

std::vector<Arena::Block> Arena::blocks() const {
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const auto& place = places_[i];
    if (place.memory) {
      blocks.push_back({place.memory.get(), place.total});
    } else {
      blocks.push_back({reinterpret_cast<std::byte*>(bases_[i]), place.bytes});
    }
  }
  return blocks;
}

void Arena::restore(Image image, const Bases& recorded) {
  relocate(image, recorded, bases_, without_);
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const auto& place = places_[i];
    if (!place.memory) {
      device_.copy(reinterpret_cast<void*>(bases_[i]), image[i].data(), image[i].size());
      continue;
    }
    write_zone(place, 0, place.before);
    device_.copy(place.memory.get() + place.before, image[i].data(), image[i].size());
    write_zone(place, place.before + place.bytes, place.total);
  }
}

void Arena::write_zone(const Place& place, std::size_t begin, std::size_t end) {
  std::vector<std::byte> zone(end - begin);
  for (std::size_t at = begin; at < end; ++at) zone[at - begin] = zone_byte(at, style_);
  device_.copy(place.memory.get() + begin, zone.data(), zone.size());
}

Image Arena::read(const Bases& recorded) const {
  Image image;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    image.emplace_back(places_[i].bytes);
    device_.copy(image.back().data(), reinterpret_cast<const void*>(bases_[i]), places_[i].bytes);
  }
  relocate(image, bases_, recorded, without_);
  return image;
}

void Arena::wipe() {
  for (const auto& place : places_) {
    if (!place.memory) continue;
    device_.fill(place.memory.get(), std::byte{0xdb}, place.total);
  }
}

std::string Arena::zone_damage() const {
  for (const auto& place : places_) {
    if (!place.memory) continue;
    std::vector<std::byte> zone(std::max(place.before, place.total - place.before - place.bytes));
    const auto look = [&](std::size_t begin, std::size_t end) -> std::ptrdiff_t {
      device_.copy(zone.data(), place.memory.get() + begin, end - begin);
      for (std::size_t at = begin; at < end; ++at) {
        if (zone[at - begin] != zone_byte(at, style_)) {
          return static_cast<std::ptrdiff_t>(at) - static_cast<std::ptrdiff_t>(place.before);
        }
      }
      return PTRDIFF_MIN;
    };
    for (const auto at : {look(0, place.before), look(place.before + place.bytes, place.total)}) {
      if (at == PTRDIFF_MIN) continue;
      return "it wrote outside of " + place.name + " of " + std::to_string(place.bytes) +
             " bytes, at offset " + std::to_string(at);
    }
  }
  return "";
}

}  // namespace geak::replay
