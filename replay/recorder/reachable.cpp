#include "replay/recorder/reachable.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <optional>

namespace geak::replay {
namespace {

class Search {
 public:
  Search(const MemoryMap& map, std::uint64_t limit, const ReadMemory& read, const AskRuntime& ask)
      : map_(map), limit_(limit), read_(read), ask_(ask) {}

  std::uint32_t reach(const Allocation& allocation) {
    const auto found = std::ranges::find(result.memory, allocation.base,
                                         [](const auto& memory) { return memory.allocation.base; });
    if (found != result.memory.end()) {
      return static_cast<std::uint32_t>(found - result.memory.begin());
    }
    result.bytes += allocation.bytes;
    if (result.bytes > limit_) result.too_large = true;
    result.memory.push_back({allocation, {}});
    if (!result.too_large) result.memory.back().contents = read_(allocation);
    return static_cast<std::uint32_t>(result.memory.size() - 1);
  }

  void argument(std::uint32_t offset, std::uint64_t address, bool is_pointer) {
    const Allocation* allocation = find(address, is_pointer);
    if (!allocation && is_pointer && address) {
      allocation = ask_(address);
      char text[96];
      std::snprintf(text, sizeof text, "the argument at kernarg offset %u points to unknown memory",
                    offset);
      if (!allocation) result.notes.emplace_back(text);
    }
    if (!allocation) return;
    const std::uint64_t displacement = address - allocation->base;
    result.pointers.push_back({offset, reach(*allocation), displacement});
  }

  // Words of reached memory, the lists growing meanwhile.
  void follow() {
    for (std::size_t i = 0; i < result.memory.size() && !result.too_large; ++i) {
      const std::size_t words = result.memory[i].contents.size() / 8;
      for (std::size_t word = 0; word < words && !result.too_large; ++word) {
        std::uint64_t value;
        std::memcpy(&value, result.memory[i].contents.data() + 8 * word, 8);
        if (const Allocation* allocation = find(value, false)) reach(*allocation);
      }
    }
  }

  Reachable result;
  std::vector<Allocation> globals;

 private:
  const Allocation* find(std::uint64_t address, bool allow_end) const {
    if (address >= map_.lowest() && address <= map_.highest()) {
      if (const Allocation* found = map_.find(address, allow_end)) return found;
    }
    for (const auto& global : globals) {
      if (address >= global.base && address - global.base < global.bytes) return &global;
    }
    return nullptr;
  }

  const MemoryMap& map_;
  std::uint64_t limit_;
  const ReadMemory& read_;
  const AskRuntime& ask_;
};

}  // namespace

Reachable find_reachable(const MemoryMap& map, const KernelMetadata& kernel,
                         const std::vector<std::uint8_t>& kernarg,
                         const std::vector<Allocation>& globals, std::uint64_t limit,
                         const ReadMemory& read, const AskRuntime& ask) {
  Search search(map, limit, read, ask);
  search.globals = globals;
  for (const auto& argument : kernel.arguments) {
    if (argument.hidden()) continue;
    const bool pointer = argument.value_kind == "global_buffer" && argument.bytes == 8;
    for (std::uint32_t at = (argument.offset + 7) & ~7u;
         at + 8 <= argument.offset + argument.bytes && at + 8 <= kernarg.size(); at += 8) {
      std::uint64_t value;
      std::memcpy(&value, kernarg.data() + at, 8);
      search.argument(at, value, pointer);
    }
  }
  for (const auto& global : globals) search.reach(global);
  search.follow();
  return std::move(search.result);
}

}  // namespace geak::replay
