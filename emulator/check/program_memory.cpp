#include "emulator/check/program_memory.h"

#include <algorithm>
#include <utility>

namespace geak::emulator::check {

ProgramAllocation& ProgramMemory::add(std::string function, Family family, std::uint64_t begin,
                                      std::uint64_t bytes) {
  auto first = by_begin_.lower_bound(begin);
  if (first != by_begin_.begin() && std::prev(first)->second.region.end() > begin) --first;
  const auto last = by_begin_.lower_bound(begin + std::max<std::uint64_t>(bytes, 1));
  by_begin_.erase(first, last);
  ProgramAllocation& added = by_begin_[begin];
  added.function = std::move(function);
  added.family = family;
  added.region.kind = family == Family::host ? Region::Kind::host : Region::Kind::device;
  added.region.serial = next_serial_++;
  added.region.begin = begin;
  added.region.bytes = bytes;
  return added;
}

ProgramMemory::Place ProgramMemory::find(std::uint64_t address) {
  const auto next = by_begin_.upper_bound(address);
  if (next == by_begin_.begin()) return {};
  ProgramAllocation& found = std::prev(next)->second;
  if (found.region.begin == address)
    return {found.region.freed ? State::freed : State::live, &found};
  if (address >= found.region.end()) return {};
  return {found.region.freed ? State::inside_freed : State::inside, &found};
}

void ProgramMemory::mark_freed(ProgramAllocation& allocation) {
  allocation.region.freed = true;
  freed_.emplace_back(allocation.region.begin, allocation.region.serial);
  if (freed_.size() <= kMostFreed) return;
  const auto [begin, serial] = freed_.front();
  freed_.pop_front();
  const auto oldest = by_begin_.find(begin);
  if (oldest != by_begin_.end() && oldest->second.region.serial == serial) by_begin_.erase(oldest);
}

}  // namespace geak::emulator::check
