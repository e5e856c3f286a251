#include "emulator/hsa/settings.h"

#include <charconv>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>

namespace geak::emulator {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

[[noreturn]] void refuse(const char* name, const std::string& value, const std::string& allowed) {
  throw std::runtime_error(std::string(name) + "='" + value + "': must be " + allowed);
}

std::optional<Arch> read_arch(const char* name) {
  const auto text = variable(name);
  if (text.empty()) return std::nullopt;
  for (const Arch arch : {Arch::gfx90a, Arch::gfx942}) {
    if (text == to_string(arch)) return arch;
  }
  refuse(name, text, "gfx90a or gfx942");
}

unsigned read_number(const char* name, unsigned absent, unsigned least, unsigned most) {
  const auto text = variable(name);
  if (text.empty()) return absent;
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most) {
    refuse(name, text, "a number from " + std::to_string(least) + " to " + std::to_string(most));
  }
  return value;
}

const DeviceDescription* read_device(std::optional<Arch> arch) {
  const auto name = variable("GEAK_EMU_DEVICE");
  if (name.empty()) return default_device(arch.value_or(Arch::gfx90a));
  const auto* device = find_device(name);
  if (!device) {
    std::string known;
    for (const auto& each : all_devices())
      known += (known.empty() ? "" : ", ") + std::string(each.name);
    refuse("GEAK_EMU_DEVICE", name, "one of " + known);
  }
  if (arch && device->arch != *arch) {
    refuse("GEAK_EMU_DEVICE", name,
           "a device of GEAK_EMU_ARCH=" + std::string(to_string(*arch)) + ", but it is a " +
               std::string(to_string(device->arch)));
  }
  return device;
}

}  // namespace

Settings Settings::from_environment() {
  Settings settings;
  settings.device = read_device(read_arch("GEAK_EMU_ARCH"));
  settings.devices = read_number("GEAK_EMU_DEVICES", 1, 1, 16);
  settings.threads = read_number("GEAK_EMU_THREADS", 0, 0, 1024);
  settings.reported_arch = read_arch("GEAK_EMU_REPORT_ARCH").value_or(settings.device->arch);
  settings.check = check::CheckSettings::from_environment();
  if (settings.check.any()) settings.threads = 1;
  return settings;
}

}  // namespace geak::emulator
