// What this process is about to do, for whoever started it.
#pragma once

#include <string>

namespace geak::replay {

// Says it on stderr: where the process ends without a word, that was where.
void announce_phase(const std::string& what);

}  // namespace geak::replay
