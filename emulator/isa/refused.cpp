// Instructions that compute kernels do not use, refused by name.
#include "emulator/isa/operation.h"

namespace geak::emulator {

void register_refused(OperationTable& t) {
  for (const char* name : {"s_cbranch_g_fork", "s_cbranch_i_fork", "s_cbranch_join"})
    t.refuse(name, InstructionClass::branch, "fork and join branching is not emulated");
  for (const char* name : {"s_rfe_b64", "s_rfe_restore_b64"})
    t.refuse(name, InstructionClass::branch, "return from a trap handler, which no kernel is");
}

}  // namespace geak::emulator
