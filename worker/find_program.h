// Looking for a compiler.
#pragma once

#include <string>

namespace geak::worker {

// What the environment variable says, else the first `program` in PATH, else in `usual`. Empty
// where there is none.
std::string find_program(const std::string& variable, const std::string& program,
                         const std::string& usual);

}  // namespace geak::worker
