#include "emulator/isa/operation.h"

namespace geak::emulator {

void register_matrix_dense(OperationTable& table);
void register_matrix_sparse(OperationTable& table);
void register_matrix_f64(OperationTable& table);

void register_matrix(OperationTable& table) {
  register_matrix_dense(table);
  register_matrix_sparse(table);
  register_matrix_f64(table);
}

}  // namespace geak::emulator
