// All families of vector instructions.
#include "emulator/isa/operation.h"
#include "emulator/isa/vector/families.h"

namespace geak::emulator {

void register_vector(OperationTable& t) {
  register_vector_moves(t);
  register_vector_integer(t);
}

}  // namespace geak::emulator
