#include "worker/find_program.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace geak::worker {

std::string find_program(const std::string& variable, const std::string& program,
                         const std::string& usual) {
  if (const char* chosen = std::getenv(variable.c_str()); chosen && *chosen) return chosen;
  std::string path = std::getenv("PATH") ? std::getenv("PATH") : "";
  path += ":" + usual;
  for (std::size_t at = 0; at <= path.size();) {
    const auto end = std::min(path.find(':', at), path.size());
    const auto file = std::filesystem::path(path.substr(at, end - at)) / program;
    if (file.is_absolute() && ::access(file.c_str(), X_OK) == 0) return file;
    at = end + 1;
  }
  return "";
}

}  // namespace geak::worker
