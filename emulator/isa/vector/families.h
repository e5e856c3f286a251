// The vector families; register_vector() calls them all.
#pragma once

namespace geak::emulator {

class OperationTable;

void register_vector_moves(OperationTable& table);
void register_vector_integer(OperationTable& table);
void register_vector_bits(OperationTable& table);
void register_vector_carry(OperationTable& table);
void register_vector_short(OperationTable& table);
void register_vector_float32(OperationTable& table);
void register_vector_float16(OperationTable& table);
void register_vector_float64(OperationTable& table);
void register_vector_division(OperationTable& table);
void register_vector_conversion(OperationTable& table);
void register_vector_transcendental(OperationTable& table);
void register_vector_compare(OperationTable& table);
void register_vector_packed(OperationTable& table);
void register_vector_mixed(OperationTable& table);
void register_vector_dot(OperationTable& table);
void register_vector_bytes(OperationTable& table);
void register_vector_cube(OperationTable& table);
void register_vector_float8(OperationTable& table);

}  // namespace geak::emulator
