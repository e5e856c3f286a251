// geak-replay: one trial in a process of its own. Prints the result as one JSON object.
#include <fstream>
#include <iostream>
#include <string>

#include "replay/replayer/trial_run.h"

int main(int argc, char** argv) {
  using namespace geak::replay;
  const std::string argument = argc == 2 ? argv[1] : "";
  if (argument.empty() || argument.starts_with("--")) {
    std::cerr
        << "usage: geak-replay SPEC.json\n"
           "Holds the trial that the file describes (docs/schemas.md) and prints its result as "
           "JSON.\nExit code 0: the trial was held, whatever came of it; 1: it could not be; 2: "
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
  const auto result = hold_trial(spec);
  std::cout << to_json(result).dump(2) << std::endl;
  return 0;
}
