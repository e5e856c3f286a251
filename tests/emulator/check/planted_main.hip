// Runs the planted program that the first argument names.
#include "planted.h"

int main(int argc, char** argv) {
  const auto& programs = planted_programs();
  const auto found = argc == 2 ? programs.find(argv[1]) : programs.end();
  if (found != programs.end()) {
    found->second();
    return 0;
  }
  for (const auto& [name, run] : programs) std::printf("%s\n", name.c_str());
  return argc == 1 ? 0 : 2;
}
