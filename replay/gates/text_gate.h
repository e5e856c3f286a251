// What the source text of a candidate may not contain.
#pragma once

#include <optional>
#include <string_view>

#include "replay/gates/static_gates.h"

namespace geak::replay {

// `candidate`: the text that is inserted beside the original; `original`: the original's own text,
// whose unusual means (inline assembly, clocks) the candidate may use as well. Device code alone
// may stand in it: no preprocessor directive but unrolling and floating-point pragmas, no inline
// assembly, no host code or initialisers that run on the host, no attributes that change linking,
// no reading of clocks or of the dispatch packet. Comments and string literals are not looked at,
// but a text with unbalanced braces or quotes is refused.
// What stands in the original too, directives and host declarations token for token, is fine.
std::optional<Refusal> check_text(std::string_view candidate, std::string_view original);

// The condition under which a variant may run is evaluated on the host: an expression over values,
// with comparisons, arithmetic and casts; it calls, assigns and creates nothing.
std::optional<Refusal> check_guard(std::string_view guard);

}  // namespace geak::replay
