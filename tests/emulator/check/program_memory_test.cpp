#include "emulator/check/program_memory.h"

#include <gtest/gtest.h>

namespace geak::emulator::check {
namespace {

using State = ProgramMemory::State;

TEST(ProgramMemory, TellsWhereAPointerPoints) {
  ProgramMemory memory;
  memory.add("hipMalloc", Family::device, 0x1000, 100);
  EXPECT_EQ(memory.find(0xfff).state, State::unknown);
  EXPECT_EQ(memory.find(0x1000).state, State::live);
  EXPECT_EQ(memory.find(0x1001).state, State::inside);
  EXPECT_EQ(memory.find(0x1063).state, State::inside);
  EXPECT_EQ(memory.find(0x1064).state, State::unknown);
  memory.mark_freed(*memory.find(0x1000).allocation);
  EXPECT_EQ(memory.find(0x1000).state, State::freed);
  EXPECT_EQ(memory.find(0x1001).state, State::inside_freed);
}

TEST(ProgramMemory, AnAddressThatIsGivenAgainIsLive) {
  ProgramMemory memory;
  memory.add("hipMalloc", Family::device, 0x1000, 100);
  memory.add("hipMalloc", Family::device, 0x2000, 100);
  memory.mark_freed(*memory.find(0x1000).allocation);
  memory.mark_freed(*memory.find(0x2000).allocation);
  // Over the end of the first and the whole of the second.
  memory.add("hipHostMalloc", Family::host, 0x1040, 0x1100);
  EXPECT_EQ(memory.find(0x1000).state, State::unknown);
  EXPECT_EQ(memory.find(0x1040).state, State::live);
  EXPECT_EQ(memory.find(0x2000).state, State::inside);
  EXPECT_EQ(memory.find(0x1040).allocation->function, "hipHostMalloc");
}

TEST(ProgramMemory, ForgetsTheOldestOfThoseFreed) {
  ProgramMemory memory;
  const auto free_at = [&](std::uint64_t begin) {
    memory.add("hipMalloc", Family::device, begin, 16);
    memory.mark_freed(*memory.find(begin).allocation);
  };
  free_at(16);
  for (std::size_t n = 1; n < ProgramMemory::kMostFreed; ++n) free_at(16 * (n + 1));
  EXPECT_EQ(memory.find(16).state, State::freed);
  free_at(16 * (ProgramMemory::kMostFreed + 1));
  EXPECT_EQ(memory.find(16).state, State::unknown);
  EXPECT_EQ(memory.find(32).state, State::freed);
  // Given again in between: not the one that was freed first.
  memory.add("hipMalloc", Family::device, 32, 16);
  free_at(16 * (ProgramMemory::kMostFreed + 2));
  EXPECT_EQ(memory.find(32).state, State::live);
}

TEST(ProgramMemory, VisitsWhatIsLive) {
  ProgramMemory memory;
  memory.add("hipMalloc", Family::device, 0x1000, 100);
  memory.add("hipMallocArray", Family::array, 0x2000, 0);
  memory.mark_freed(*memory.find(0x1000).allocation);
  std::vector<std::string> functions;
  memory.for_each_live([&](const ProgramAllocation& each) { functions.push_back(each.function); });
  EXPECT_EQ(functions, std::vector<std::string>{"hipMallocArray"});
}

}  // namespace
}  // namespace geak::emulator::check
