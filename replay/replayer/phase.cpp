#include "replay/replayer/phase.h"

#include <iostream>

namespace geak::replay {

void announce_phase(const std::string& what) {
  std::cerr << "geak-replay: phase: " << what << std::endl;
}

}  // namespace geak::replay
