#include "emulator/check/memory_regions.h"

#include <execinfo.h>

#include <algorithm>
#include <cstring>

namespace geak::emulator::check {

namespace {

// What a dword holds that nobody wrote: differs from place to place, so that no pattern of the
// program's looks like it.
std::uint32_t unwritten_dword(std::uint64_t address) {
  std::uint64_t mixed = (address / 4) * 0x9e3779b97f4a7c15ull;
  mixed ^= mixed >> 29;
  return static_cast<std::uint32_t>(mixed * 0xbf58476d1ce4e5b9ull >> 32) | 0x80000000u;
}

}  // namespace

HostCalls host_calls() {
  void* calls[32];
  const int count = backtrace(calls, 32);
  HostCalls result;
  for (int n = 1; n < count; ++n) result.push_back(reinterpret_cast<std::uint64_t>(calls[n]));
  return result;
}

Region& MemoryRegions::add(Region::Kind kind, std::uint64_t begin, std::uint64_t bytes,
                           std::uint64_t zone_begin, std::uint64_t zone_end, bool track_writes) {
  auto region = std::make_unique<Region>();
  region->kind = kind;
  region->serial = next_serial_++;
  region->begin = begin;
  region->bytes = bytes;
  region->zone_begin = zone_begin;
  region->zone_end = zone_end;
  if (track_writes) region->written = ShadowPages(bytes);
  last_ = nullptr;
  return *(by_zone_[zone_begin] = std::move(region));
}

Region* MemoryRegions::mark_freed(std::uint64_t begin) {
  Region* region = find(begin);
  if (!region || region->begin != begin || region->freed) return nullptr;
  region->freed = true;
  region->accesses = {};
  return region;
}

void MemoryRegions::forget(std::uint64_t begin) {
  const Region* region = find(begin);
  if (!region || region->begin != begin) return;
  last_ = nullptr;
  by_zone_.erase(region->zone_begin);
}

Region* MemoryRegions::find(std::uint64_t address) const {
  if (last_ && address >= last_->zone_begin && address < last_->zone_end) return last_;
  auto next = by_zone_.upper_bound(address);
  if (next == by_zone_.begin()) return nullptr;
  Region* found = std::prev(next)->second.get();
  if (address >= found->zone_end) return nullptr;
  return last_ = found;
}

Region* MemoryRegions::nearest(std::uint64_t address) const {
  const auto next = by_zone_.upper_bound(address);
  Region* below = next == by_zone_.begin() ? nullptr : std::prev(next)->second.get();
  Region* above = next == by_zone_.end() ? nullptr : next->second.get();
  if (!below || !above) return below ? below : above;
  return address - below->end() <= above->begin - address ? below : above;
}

void MemoryRegions::fill(const Region& region) {
  const std::uint64_t end = region.end() & ~std::uint64_t{3};
  for (std::uint64_t at = region.begin; at < end; at += 4)
    *reinterpret_cast<std::uint32_t*>(at) = unwritten_dword(at);
  const std::uint32_t last = unwritten_dword(end);
  std::memcpy(reinterpret_cast<void*>(end), &last, region.end() - end);
}

std::uint64_t MemoryRegions::unwritten(Region& region, std::uint64_t address, unsigned bytes) {
  if (!region.written || !region.holds(address, bytes)) return 0;
  const std::byte* flags = region.written.data() - region.begin;
  if (!std::memchr(flags + address, 0, bytes)) return 0;
  std::uint64_t result = 0;
  for (std::uint64_t dword = address & ~std::uint64_t{3}; dword < address + bytes; dword += 4) {
    const std::uint32_t expected = unwritten_dword(dword);
    const unsigned count = static_cast<unsigned>(std::min<std::uint64_t>(4, region.end() - dword));
    const auto* present = reinterpret_cast<const unsigned char*>(dword);
    bool changed = false;
    for (unsigned n = 0; n < count; ++n)
      changed |= flags[dword + n] == std::byte{0} && present[n] != (expected >> 8 * n & 0xff);
    if (changed) {
      std::memset(region.written.data() + (dword - region.begin), 1, count);
      continue;
    }
    for (unsigned n = 0; n < count; ++n) {
      const std::uint64_t at = dword + n;
      if (at >= address && at < address + bytes && flags[at] == std::byte{0})
        result |= std::uint64_t{1} << (at - address);
    }
  }
  return result;
}

void MemoryRegions::set_written(std::uint64_t address, std::uint64_t bytes) {
  Region* region = find(address);
  if (!region || !region->written || address < region->begin) return;
  const std::uint64_t offset = address - region->begin;
  if (offset >= region->bytes) return;
  std::memset(region->written.data() + offset, 1, std::min(bytes, region->bytes - offset));
}

void MemoryRegions::copy_written(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) {
  const Region* source = find(from);
  if (!source || !source->written || !source->holds(from, bytes)) return set_written(to, bytes);
  const Region* target = find(to);
  if (!target || !target->written || !target->holds(to, bytes)) return;
  std::memmove(target->written.data() + (to - target->begin),
               source->written.data() + (from - source->begin), bytes);
}

}  // namespace geak::emulator::check
