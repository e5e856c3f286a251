#include "emulator/check/check_settings.h"

#include <unistd.h>

#include <cstdlib>
#include <sstream>
#include <stdexcept>

namespace geak::emulator::check {
namespace {

struct Name {
  const char* name;
  bool CheckSettings::* flag;
};
constexpr Name kNames[] = {
    {"memcheck", &CheckSettings::memcheck},   {"initcheck", &CheckSettings::initcheck},
    {"racecheck", &CheckSettings::racecheck}, {"ordercheck", &CheckSettings::ordercheck},
    {"synccheck", &CheckSettings::synccheck}, {"hazardcheck", &CheckSettings::hazardcheck},
    {"leakcheck", &CheckSettings::leakcheck},
};

void turn_on(CheckSettings& settings, const std::string& wanted) {
  bool known = false;
  for (const Name& each : kNames) {
    // ordercheck is racecheck with less trust: not for programs that are to be believed.
    const bool among_all = wanted == "all" && each.flag != &CheckSettings::ordercheck;
    if (wanted != each.name && !among_all) continue;
    settings.*each.flag = known = true;
  }
  if (known) return;
  std::string names;
  for (const Name& each : kNames) names += std::string(each.name) + ", ";
  throw std::runtime_error("GEAK_EMU_CHECK: '" + wanted + "' is no check; there are " + names +
                           "all");
}

}  // namespace

std::vector<std::string> CheckSettings::names() const {
  std::vector<std::string> result;
  for (const Name& each : kNames) {
    if (this->*each.flag) result.push_back(each.name);
  }
  return result;
}

CheckSettings CheckSettings::from_environment() {
  CheckSettings settings;
  const char* checks = std::getenv("GEAK_EMU_CHECK");
  std::istringstream list(checks ? checks : "");
  for (std::string name; std::getline(list, name, ',');) {
    if (!name.empty()) turn_on(settings, name);
  }
  const char* output = std::getenv("GEAK_EMU_CHECK_OUT");
  settings.output = output ? output : "";
  if (const auto at = settings.output.find("%p"); at != std::string::npos)
    settings.output.replace(at, 2, std::to_string(getpid()));
  return settings;
}

}  // namespace geak::emulator::check
