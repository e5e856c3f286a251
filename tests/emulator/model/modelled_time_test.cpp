#include "emulator/model/modelled_time.h"

#include <gtest/gtest.h>

namespace geak::emulator {
namespace {

using Class = InstructionClass;

Counters many_waves(std::uint64_t waves) {
  Counters c;
  c.waves = waves;
  c.workgroups = waves / 4;
  c.occupancy = {8, 8, OccupancyLimit::waves};
  return c;
}

TEST(ModelledTime, AnEmptyKernelTakesItsLaunch) {
  const Counters c = many_waves(4);
  const ModelledTime time = modelled_time(*find_device("MI300A"), c, {1, 4});
  EXPECT_EQ(time.bound, "launch");
  EXPECT_NEAR(time.ns, 4200, 100);
}

// 1 GiB at the peak of 5.3 TB/s takes 203 us: the model must stay above.
TEST(ModelledTime, StreamingNeverBeatsTheMemory) {
  Counters c = many_waves(1 << 20);
  c.footprint_bytes = c.memory_bytes = 1ull << 30;
  const ModelledTime time = modelled_time(*find_device("MI300A"), c, {1 << 18, 4});
  EXPECT_EQ(time.bound, "memory");
  EXPECT_GT(time.ns, 203e3);
  EXPECT_LT(time.ns, 406e3);
}

// MI210: 104 compute units, 4 SIMDs, 1.7 GHz: a wave instruction every 4 cycles and SIMD.
TEST(ModelledTime, VectorInstructionsStayBelowThePeak) {
  Counters c = many_waves(104 * 4 * 8);
  c.executed[static_cast<unsigned>(Class::valu)] = 1'000'000'000;
  const double peak_ns = 1e9 * 4 / (104 * 4) / 1.7;
  const ModelledTime time = modelled_time(*find_device("MI210"), c, {104 * 8, 4});
  EXPECT_GE(time.ns, peak_ns);
  EXPECT_LT(time.ns, 1.5 * peak_ns);
}

TEST(ModelledTime, FewWavesDoNotHideLatency) {
  Counters c = many_waves(4);
  c.memory.vector_stall_cycles = 4 * 1000 * 240;
  const ModelledTime time = modelled_time(*find_device("MI210"), c, {1, 4});
  EXPECT_EQ(time.bound, "latency");
  EXPECT_GT(time.ns, 100e3);
}

TEST(ModelledTime, ADispatchTakesAsLongAsItsLongestWave) {
  Counters c = many_waves(104 * 4);
  const double short_ns = modelled_time(*find_device("MI210"), c, {104, 4}).ns;
  c.longest_wave_cycles = 1'700'000;
  const ModelledTime time = modelled_time(*find_device("MI210"), c, {104, 4});
  EXPECT_LT(short_ns, 100e3);
  EXPECT_EQ(time.bound, "latency");
  EXPECT_GT(time.ns, 1e6);
}

TEST(ModelledTime, WaitsAtBarriersAreAWavesTime) {
  Counters c = many_waves(4);
  c.barrier_stall_cycles = 4 * 1000 * 240;
  EXPECT_GT(modelled_time(*find_device("MI210"), c, {1, 4}).ns, 100e3);
}

// MI210 has 104 compute units, each of which takes eight workgroups of these at once.
TEST(ModelledTime, TheBusiestComputeUnitEndsLast) {
  const DeviceDescription& device = *find_device("MI210");
  const auto of = [&](std::uint64_t workgroups) {
    Counters c = many_waves(workgroups * 4);
    c.executed[static_cast<unsigned>(Class::valu)] = workgroups * 1'000'000;
    return modelled_time(device, c, {workgroups, 4}).ns - 4200;  // the launch
  };
  EXPECT_NEAR(of(208), 2 * of(104), 1);
  EXPECT_NEAR(of(105), of(208), 1) << "one of them has two";
  EXPECT_NEAR(of(10400), 100 * of(104), 100);
  EXPECT_LT(of(10401), 1.011 * of(10400));
}

TEST(ModelledTime, TheLastWorkgroupsTakeARoundOfTheirOwn) {
  const DeviceDescription& device = *find_device("MI210");
  const auto of = [&](std::uint64_t workgroups) {
    Counters c = many_waves(workgroups * 4);
    c.memory.vector_stall_cycles = c.waves * 170'000;
    const ModelledTime time = modelled_time(device, c, {workgroups, 4});
    EXPECT_EQ(time.bound, "latency");
    return time.ns - 4200;  // the launch
  };
  EXPECT_NEAR(of(104 * 8), 100'000, 1);
  EXPECT_NEAR(of(104 * 8 + 1), 200'000, 1);
  EXPECT_NEAR(of(104 * 80), 1'000'000, 1);
}

}  // namespace
}  // namespace geak::emulator
