#include "support/emulator_environment.h"

#include <strings.h>

#include <cstdlib>
#include <stdexcept>

namespace geak::support {
namespace {

std::string prepend(const std::string& first, const char* variable) {
  const char* present = std::getenv(variable);
  return present && *present ? first + ":" + present : first;
}

std::string joined(const std::vector<std::string>& files) {
  std::string result;
  for (const auto& file : files) result += (result.empty() ? "" : ":") + file;
  return result;
}

void require_file(const std::filesystem::path& file, const std::string& target) {
  if (std::filesystem::exists(file)) return;
  throw std::runtime_error("the emulator is missing: " + file.string() + " (build the target " +
                           target + ", or reinstall geak)");
}

// MI300A and MI300X are gfx942; the emulator itself checks that device and arch agree.
bool is_gfx942(const EmulatorSettings& settings) {
  return settings.arch == "gfx942" || (settings.arch.empty() && settings.device.size() >= 5 &&
                                       strncasecmp(settings.device.c_str(), "MI300", 5) == 0);
}

}  // namespace

std::vector<std::pair<std::string, std::optional<std::string>>> emulator_environment(
    const InstallPaths& paths, const EmulatorSettings& settings) {
  const auto library = paths.emulator_library / "libhsa-runtime64.so.1";
  require_file(library, "geak_emulator");
  std::vector<std::pair<std::string, std::optional<std::string>>> variables;
  variables.emplace_back("LD_LIBRARY_PATH",
                         prepend(paths.emulator_library.string(), "LD_LIBRARY_PATH"));
  // A part of a launch leaves a part of its result: who asks for times alone sets it itself.
  variables.emplace_back("GEAK_EMU_SAMPLE", std::nullopt);
  const auto set = [&](const char* name, const std::string& value) {
    if (!value.empty()) variables.emplace_back(name, value);
  };
  set("GEAK_EMU_ARCH", settings.arch);
  set("GEAK_EMU_DEVICE", settings.device);
  if (settings.devices) set("GEAK_EMU_DEVICES", std::to_string(settings.devices));
  if (settings.threads) set("GEAK_EMU_THREADS", std::to_string(settings.threads));
  set("GEAK_EMU_COUNTERS", settings.counters_file);
  set("GEAK_EMU_CHECK", settings.checks);
  set("GEAK_EMU_CHECK_OUT", settings.check_file);
  if (!settings.hip_program) return variables;
  std::vector<std::string> preloaded;
  if (!settings.checks.empty()) {
    require_file(paths.check_library, "geak_check");
    preloaded.push_back(paths.check_library.string());
  }
  require_file(paths.hip5_library, "geak_hip5");
  preloaded.push_back(paths.hip5_library.string());
  if (is_gfx942(settings)) set("GEAK_EMU_REPORT_ARCH", "gfx90a");
  variables.emplace_back("LD_PRELOAD", prepend(joined(preloaded), "LD_PRELOAD"));
  return variables;
}

}  // namespace geak::support
