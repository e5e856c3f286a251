// geak-replay: one trial in a process of its own. Prints the result as one JSON object.
#include <fstream>
#include <iostream>
#include <string>

#include "replay/hsa/hsa_device.h"
#include "replay/replayer/first_look_run.h"
#include "replay/replayer/sample_scope.h"
#include "replay/replayer/trial_run.h"
#include "support/json_text.h"

namespace {

int name_device(const std::string& architecture) {
  try {
    const geak::replay::HsaDevice device(architecture);
    std::cout << device.name() << std::endl;
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "geak-replay: error: " << error.what() << '\n';
    return 1;
  }
}

// One line of JSON for each candidate, as soon as it is known.
int look(const std::string& file) {
  try {
    std::ifstream stream(file);
    if (!stream) throw std::runtime_error("cannot read " + file);
    const auto spec = geak::replay::first_look_spec_from_json(nlohmann::json::parse(stream));
    geak::replay::hold_first_look(spec, [](const geak::replay::FirstLook& found) {
      std::cout << geak::support::json_text(to_json(found)) << std::endl;
    });
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "geak-replay: error: " << error.what() << '\n';
    return 1;
  }
}

}  // namespace

int main(int argc, char** argv) {
  using namespace geak::replay;
  const std::string argument = argc == 2 ? argv[1] : "";
  if (argc == 3 && std::string(argv[1]) == "--device") return name_device(argv[2]);
  if (argc == 3 && std::string(argv[1]) == "--look") return look(argv[2]);
  if (argument.empty() || argument.starts_with("--")) {
    std::cerr
        << "usage: geak-replay SPEC.json | geak-replay --device ARCHITECTURE\n"
           "Holds the trial that the file describes (docs/schemas.md) and prints its result as "
           "JSON; or prints the name of the GPU that runs code of an architecture.\nExit code 0: "
           "the trial was held, whatever came of it; 1: it could not be; 2: "
           "the file is no specification.\n";
    return argument == "--help" ? 0 : 2;
  }
  TrialSpec spec;
  try {
    std::ifstream stream(argument);
    if (!stream) throw std::runtime_error("cannot read it");
    spec = trial_spec_from_json(nlohmann::json::parse(stream));
  } catch (const std::exception& error) {
    std::cerr << "geak-replay: error: " << argument << ": " << error.what() << '\n';
    return 2;
  }
  const SampleScope all(0);
  const auto result = hold_trial(spec);
  std::cout << geak::support::json_text(to_json(result), 2) << std::endl;
  return 0;
}
