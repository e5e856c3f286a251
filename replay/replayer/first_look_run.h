// A first look in this process.
#pragma once

#include <functional>

#include "replay/first_look.h"

namespace geak::replay {

// Calls `tell` for each candidate in order, up to one that faults. Throws where none can be looked
// at: no device, no launch that the original repeats.
void hold_first_look(const FirstLookSpec& spec, const std::function<void(const FirstLook&)>& tell);

}  // namespace geak::replay
