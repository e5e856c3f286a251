#include "support/emulator_environment.h"

#include <cstdlib>
#include <stdexcept>

namespace geak::support {
namespace {

std::string prepend(const std::string& first, const char* variable) {
  const char* present = std::getenv(variable);
  return present && *present ? first + ":" + present : first;
}

}  // namespace

std::vector<std::pair<std::string, std::optional<std::string>>> emulator_environment(
    const InstallPaths& paths, const EmulatorSettings& settings) {
  const auto library = paths.emulator_library / "libhsa-runtime64.so.1";
  if (!std::filesystem::exists(library)) {
    throw std::runtime_error("the emulator is missing: " + library.string() +
                             " (build the target geak_emulator, or reinstall geak)");
  }
  std::vector<std::pair<std::string, std::optional<std::string>>> variables;
  variables.emplace_back("LD_LIBRARY_PATH",
                         prepend(paths.emulator_library.string(), "LD_LIBRARY_PATH"));
  const auto set = [&](const char* name, const std::string& value) {
    if (!value.empty()) variables.emplace_back(name, value);
  };
  set("GEAK_EMU_ARCH", settings.arch);
  set("GEAK_EMU_DEVICE", settings.device);
  if (settings.devices) set("GEAK_EMU_DEVICES", std::to_string(settings.devices));
  if (settings.threads) set("GEAK_EMU_THREADS", std::to_string(settings.threads));
  set("GEAK_EMU_COUNTERS", settings.counters_file);
  return variables;
}

}  // namespace geak::support
