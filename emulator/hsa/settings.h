// What the environment says about the GPUs to emulate.
#pragma once

#include "emulator/check/check_settings.h"
#include "emulator/model/device.h"

namespace geak::emulator {

struct Settings {
  const DeviceDescription* device = nullptr;
  unsigned devices = 1;
  unsigned threads = 0;  // 0: one a core
  // The instruction set that agents report. Differs from the device's under `geak run --arch
  // gfx942`: Debian's HIP runtime knows none after gfx90a (docs/emulator.md).
  Arch reported_arch = Arch::gfx90a;

  check::CheckSettings check;  // geak check; it runs waves one at a time

  // Reads GEAK_EMU_ARCH, GEAK_EMU_DEVICE, GEAK_EMU_DEVICES, GEAK_EMU_THREADS,
  // GEAK_EMU_REPORT_ARCH and what CheckSettings reads. Throws std::runtime_error that names the
  // variable and what it may be.
  static Settings from_environment();
};

}  // namespace geak::emulator
