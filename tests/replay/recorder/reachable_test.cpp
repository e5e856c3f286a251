#include "replay/recorder/reachable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

namespace geak::replay {
namespace {

// Memory of a pretended device: contents by base address.
class ReachableTest : public testing::Test {
 protected:
  void add(std::uint64_t base, std::vector<std::uint64_t> words) {
    map_.add({base, 8 * words.size(), {}, "", 0});
    contents_[base] = std::move(words);
  }

  Reachable reach(const KernelMetadata& kernel, const std::vector<std::uint64_t>& words,
                  std::uint64_t limit = 1 << 20) {
    std::vector<std::uint8_t> kernarg(8 * words.size());
    if (!words.empty()) std::memcpy(kernarg.data(), words.data(), kernarg.size());
    return find_reachable(
        map_, kernel, kernarg, globals_, limit,
        [&](const Allocation& allocation) {
          const auto& from = contents_.at(allocation.base);
          std::vector<std::byte> bytes(8 * from.size());
          if (!from.empty()) std::memcpy(bytes.data(), from.data(), bytes.size());
          return bytes;
        },
        [](std::uint64_t) { return nullptr; });
  }

  static KernelMetadata kernel(const std::vector<std::string>& kinds) {
    KernelMetadata result;
    for (const auto& kind : kinds) {
      const auto offset = static_cast<std::uint32_t>(8 * result.arguments.size());
      result.arguments.push_back({offset, 8, kind, ""});
    }
    return result;
  }

  static std::vector<std::uint64_t> bases(const Reachable& reached) {
    std::vector<std::uint64_t> found;
    for (const auto& memory : reached.memory) found.push_back(memory.allocation.base);
    return found;
  }

  MemoryMap map_;
  std::map<std::uint64_t, std::vector<std::uint64_t>> contents_;
  std::vector<Allocation> globals_;
};

TEST_F(ReachableTest, FollowsPointersInBuffersAndStructs) {
  add(0x10000, {0x20008, 5});
  add(0x20000, {1, 2});
  add(0x30000, {0x40000});
  add(0x40000, {7});
  add(0x50000, {8});
  const auto reached = reach(kernel({"global_buffer", "by_value"}), {0x10000, 0x30000});
  EXPECT_THAT(bases(reached), testing::UnorderedElementsAre(0x10000, 0x20000, 0x30000, 0x40000));
  EXPECT_EQ(reached.bytes, 16u + 16u + 8u + 8u);
}

TEST_F(ReachableTest, KeepsWhereAPointerPoints) {
  add(0x10000, {1, 2, 3});
  const auto reached = reach(kernel({"global_buffer"}), {0x10010});
  ASSERT_EQ(reached.pointers.size(), 1u);
  EXPECT_EQ(reached.pointers[0].displacement, 0x10u);
}

TEST_F(ReachableTest, ReachesGlobalsWithoutArguments) {
  add(0x20000, {9});
  contents_[0x70000] = {0x20000};
  globals_ = {{0x70000, 8, MemoryKind::global, "table", 0}};
  EXPECT_THAT(bases(reach(kernel({}), {})), testing::UnorderedElementsAre(0x70000, 0x20000));
}

TEST_F(ReachableTest, SaysThatAPointerLeadsNowhere) {
  const auto reached = reach(kernel({"global_buffer", "global_buffer"}), {0xdead0000, 0});
  EXPECT_EQ(reached.notes.size(), 1u);
  EXPECT_TRUE(reached.memory.empty());
}

TEST_F(ReachableTest, StopsAtTheLimit) {
  add(0x10000, {0x20000});
  add(0x20000, std::vector<std::uint64_t>(100));
  EXPECT_TRUE(reach(kernel({"global_buffer"}), {0x10000}, 100).too_large);
}

}  // namespace
}  // namespace geak::replay
