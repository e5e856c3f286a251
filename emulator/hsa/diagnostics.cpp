#include "emulator/hsa/diagnostics.h"

#include <unistd.h>

#include <string>

namespace geak::emulator {

void report_error(std::string_view message) {
  // One write, so that lines of several threads don't mix, and not through stdio, which the
  // program may have closed.
  const std::string line = "geak emulator: error: " + std::string(message) + "\n";
  [[maybe_unused]] const auto written = write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace geak::emulator
