// All families of vector instructions.
#include "emulator/isa/operation.h"
#include "emulator/isa/vector/families.h"

namespace geak::emulator {

void register_vector(OperationTable& t) {
  register_vector_moves(t);
  register_vector_integer(t);
  register_vector_bits(t);
  register_vector_carry(t);
  register_vector_float32(t);
  register_vector_float16(t);
  register_vector_float64(t);
  register_vector_division(t);
  register_vector_conversion(t);
  register_vector_transcendental(t);
  register_vector_compare(t);
  register_vector_short(t);
  register_vector_packed(t);
  register_vector_mixed(t);
  register_vector_dot(t);
  register_vector_bytes(t);
  register_vector_cube(t);
  register_vector_float8(t);
}

}  // namespace geak::emulator
