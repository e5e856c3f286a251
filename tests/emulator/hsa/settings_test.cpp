#include "emulator/hsa/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <stdexcept>

namespace geak::emulator {
namespace {

class SettingsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"GEAK_EMU_ARCH", "GEAK_EMU_DEVICE", "GEAK_EMU_DEVICES",
                             "GEAK_EMU_THREADS", "GEAK_EMU_REPORT_ARCH"}) {
      unsetenv(name);
    }
  }
  void expect_refused(const char* name, const char* value) {
    setenv(name, value, 1);
    try {
      Settings::from_environment();
      FAIL() << name << "=" << value << " was accepted";
    } catch (const std::runtime_error& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr(name));
    }
    unsetenv(name);
  }
};

TEST_F(SettingsTest, Defaults) {
  const auto settings = Settings::from_environment();
  EXPECT_EQ(settings.device->name, "MI210");
  EXPECT_EQ(settings.devices, 1u);
  EXPECT_EQ(settings.reported_arch, Arch::gfx90a);
}

TEST_F(SettingsTest, ArchChoosesADevice) {
  setenv("GEAK_EMU_ARCH", "gfx942", 1);
  EXPECT_EQ(Settings::from_environment().device->name, "MI300X");
}

TEST_F(SettingsTest, DeviceByNameInAnyCase) {
  setenv("GEAK_EMU_DEVICE", "mi300a", 1);
  const auto settings = Settings::from_environment();
  EXPECT_EQ(settings.device->name, "MI300A");
  EXPECT_EQ(settings.reported_arch, Arch::gfx942);
}

TEST_F(SettingsTest, ReportedArchMayDiffer) {
  setenv("GEAK_EMU_ARCH", "gfx942", 1);
  setenv("GEAK_EMU_REPORT_ARCH", "gfx90a", 1);
  EXPECT_EQ(Settings::from_environment().reported_arch, Arch::gfx90a);
}

TEST_F(SettingsTest, RefusesNonsense) {
  expect_refused("GEAK_EMU_ARCH", "gfx1030");
  expect_refused("GEAK_EMU_DEVICE", "MI100");
  expect_refused("GEAK_EMU_DEVICES", "0");
  expect_refused("GEAK_EMU_DEVICES", "two");
  expect_refused("GEAK_EMU_THREADS", "-1");
}

TEST_F(SettingsTest, RefusesADeviceOfAnotherArch) {
  setenv("GEAK_EMU_ARCH", "gfx942", 1);
  expect_refused("GEAK_EMU_DEVICE", "MI210");
}

}  // namespace
}  // namespace geak::emulator
