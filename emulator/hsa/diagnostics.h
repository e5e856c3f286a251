// Messages of the emulator to the user.
#pragma once

#include <string_view>

namespace geak::emulator {

// One line on standard error: "geak emulator: error: ...".
void report_error(std::string_view message);

}  // namespace geak::emulator
