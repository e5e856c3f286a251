// The state in which the hardware starts the waves of a workgroup.
#pragma once

#include "emulator/wave/kernel_descriptor.h"
#include "emulator/wave/workgroup.h"

namespace geak::emulator {

// Fills the waves of `group`, whose launch and id are set.
void set_up_workgroup(Workgroup& group);

}  // namespace geak::emulator
