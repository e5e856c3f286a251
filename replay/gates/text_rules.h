// The rules that check_text() asks one after the other. Each: why the candidate's text is refused,
// where what it holds is not in the original's text as well.
#pragma once

#include <optional>

#include "replay/gates/scan.h"
#include "replay/gates/static_gates.h"

namespace geak::replay {

// Attacks that several rules name.
inline constexpr const char* kHost = "1, 2, 4, 26: host code";
inline constexpr const char* kLink = "25: changes how the program is linked";

// No preprocessor directive but unrolling and floating-point pragmas.
std::optional<Refusal> check_directives(const Scan& candidate, const Scan& original);
// No word that names assembly, clocks, the host's services, the heap or the linker.
std::optional<Refusal> check_names(const Scan& candidate, const Scan& original);
// Each declaration must be of the device, or produce no code by itself, or be the original's; and
// none may only name a variable or function of the program.
std::optional<Refusal> check_declarations(const Scan& candidate, const Scan& original);

}  // namespace geak::replay
